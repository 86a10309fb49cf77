/** The modules of Node that the plugin requires, and the globals `process` and `Buffer`. */
import { Buffer } from "buffer";
import { knownModule } from "../known";
import { type Hello } from "./bridge-client";
import { spawn } from "./child-process";
import { fileModule } from "./files";

/** Make `process` and `Buffer` known to the page, as Electron does. */
export function installGlobals({ platform, pid, env }: Hello): void {
  Object.assign(window, { process: { platform, pid, env: { ...env } }, Buffer });
}

/** Module name -> module. */
export function nodeModules(hello: Hello): (name: string) => object {
  const home = hello.platform === "win32" ? hello.env.USERPROFILE : hello.env.HOME;
  const modules: Record<string, object> = {
    child_process: knownModule("child_process", { spawn }),
    fs: fileModule(hello.fileCalls),
    os: knownModule("os", { homedir: () => home ?? hello.homedir, tmpdir: () => hello.env.TMPDIR ?? hello.tmpdir }),
  };
  return (name) => {
    const module = modules[name];
    if (!module) throw new Error(`the test host has no module "${name}"`);
    return module;
  };
}
