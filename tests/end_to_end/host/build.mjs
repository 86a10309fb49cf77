/** Bundles the sources of the host page into one script, in memory. */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** @type {Promise<string> | undefined} */
let built;

/** @returns {Promise<string>} the script; built once for all hosts of a test run */
export function pageScript() {
  built ??= bundle();
  return built;
}

async function bundle() {
  const result = await build({
    entryPoints: [fileURLToPath(new URL("page/start.ts", import.meta.url))],
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    target: "es2022",
    // Errors that name the host's classes are read by people.
    keepNames: true,
    sourcemap: "inline",
  });
  const [file] = result.outputFiles;
  if (!file) throw new Error("esbuild gave no output for the host page");
  return file.text;
}
