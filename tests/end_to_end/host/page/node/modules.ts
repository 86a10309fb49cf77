/** The modules of Node that code in the page can require, and the globals `process` and `Buffer`. */
import { Buffer } from "buffer";
import EventEmitter from "events";
import path from "path-browserify";
import { knownModule } from "../known";
import { type Hello, call } from "./bridge-client";
import * as childProcess from "./child-process";
import { fileModule } from "./files";

/** Make `process`, `Buffer` and `global` known to the page, as Electron does. */
export function installGlobals(hello: Hello): void {
  const process = {
    platform: hello.platform,
    arch: hello.arch,
    pid: hello.pid,
    env: { ...hello.env },
    // Where a plugin looks for a sign of Electron, there is one.
    versions: { node: hello.node, electron: "39.0.0", chrome: navigator.userAgent.match(/Chrome\/([\d.]+)/)?.[1] ?? "" },
    type: "renderer",
    cwd: () => hello.vault,
    nextTick: (task: (...args: unknown[]) => void, ...args: unknown[]) => queueMicrotask(() => task(...args)),
  };
  Object.assign(window, { process, Buffer, global: window });
}

/** Module name -> module; a name may be asked for with `node:` before it. */
export function nodeModules(hello: Hello): (name: string) => object {
  const files = fileModule(hello.fileCalls);
  const modules: Record<string, object> = {
    child_process: knownModule("child_process", { ...childProcess }),
    fs: files,
    "fs/promises": (files as { promises: object }).promises,
    path: pathModule(hello.platform),
    os: osModule(hello),
    crypto: knownModule("crypto", { randomBytes, randomUUID: () => crypto.randomUUID() }),
    events: Object.assign(EventEmitter, { EventEmitter }),
    buffer: knownModule("buffer", { Buffer }),
    util: knownModule("util", { promisify }),
    process: process as object,
    zlib: knownModule("zlib", { brotliDecompressSync }),
  };
  return (name) => {
    const module = modules[name.replace(/^node:/, "")];
    if (!module) throw new Error(`the test host has no module "${name}"`);
    return module;
  };
}

function osModule(hello: Hello): object {
  const home = hello.platform === "win32" ? hello.env.USERPROFILE : hello.env.HOME;
  return knownModule("os", {
    EOL: hello.platform === "win32" ? "\r\n" : "\n",
    arch: () => hello.arch,
    homedir: () => home ?? hello.homedir,
    platform: () => hello.platform,
    tmpdir: () => hello.env.TMPDIR ?? hello.tmpdir,
  });
}

/** Windows takes `/` between folders as well; what differs for a plugin is the look of an absolute path and of PATH. */
function pathModule(platform: string): object {
  if (platform !== "win32") return knownModule("path", { ...path });
  const isAbsolute = (name: string): boolean => /^([A-Za-z]:)?[\\/]/.test(name);
  const slashes = (name: string): string => name.replaceAll("\\", "/");
  return knownModule("path", {
    ...path,
    isAbsolute,
    delimiter: ";",
    sep: "\\",
    join: (...parts: string[]) => path.join(...parts.map(slashes)),
    dirname: (name: string) => path.dirname(slashes(name)),
    basename: (name: string, extension?: string) => path.basename(slashes(name), extension),
  });
}

function brotliDecompressSync(bytes: Buffer): Buffer {
  return Buffer.from(call("brotliDecompressSync", { base64: bytes.toString("base64") }) as string, "base64");
}

function randomBytes(size: number): Buffer {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(size)));
}

/** Node's, for functions that take a callback `(error, value)` last; `execFile` gives `{ stdout, stderr }`. */
function promisify(task: (...args: unknown[]) => void): (...args: unknown[]) => Promise<unknown> {
  return (...args) =>
    new Promise((resolve, reject) => {
      const settle = (error: unknown, first: unknown, second: unknown): void => {
        if (error) reject(error instanceof Error ? error : new Error(String(error)));
        else resolve((task as unknown) === childProcess.execFile ? { stdout: first, stderr: second } : first);
      };
      task(...args, settle);
    });
}
