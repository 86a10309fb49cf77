// The short loops of development.
//
//   npm run py -- FILE...   pytest on the named files or folders; options of pytest go after --
//   npm run ts -- FILE...   vitest, or Node's own runner for a file of tests/end_to_end, which builds the plugin first
//   npm run fix             ruff's formatter and fixes, then eslint's
//   npm run bench -- VAULT  speed and size of everything, on copies of a vault

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";

import { PYTHON, ROOT, SIDECAR, SetupError, prepare, program } from "./environment.mjs";

const NODE_MODULES = join(ROOT, "node_modules");
const END_TO_END = join(ROOT, "tests", "end_to_end") + sep;

/** The commands of a loop, each as a program, its arguments and the folder to run it in. */
export function commands(loop, args, from = process.env.INIT_CWD ?? process.cwd()) {
  const paths = args.map((arg) => (existsSync(resolve(from, arg)) ? resolve(from, arg) : arg)); // what is no file is an option or its value
  const node = (script, ...rest) => [process.execPath, [join(NODE_MODULES, script), ...rest], ROOT];
  if (loop === "py") return [[PYTHON, ["-m", "pytest", "-c", "pyproject.toml", ...paths], SIDECAR]];
  if (loop === "ts") {
    if (!paths.some((path) => path.startsWith(END_TO_END))) return [node("vitest/vitest.mjs", "run", ...paths.map(withinRoot))];
    return [[process.execPath, ["esbuild.config.mjs", "--production"], ROOT], [process.execPath, ["--test", ...paths], ROOT]];
  }
  const ruff = (...rest) => [program("ruff"), [...rest, "--config", "pyproject.toml", ".", "../tests"], SIDECAR];
  if (loop === "fix") return [ruff("format"), ruff("check", "--fix"), node("eslint/bin/eslint.js", "--fix", "plugin", "tests/plugin")];
  if (loop === "bench") return [[PYTHON, [join(ROOT, "tests", "performance", "bench.py"), ...args], from]];
  throw new SetupError("usage: npm run py -- FILE... | npm run ts -- FILE... | npm run fix | npm run bench -- VAULT");
}

/** vitest takes paths as patterns, with slashes, relative to the root. */
function withinRoot(path) {
  return path.startsWith(ROOT) ? relative(ROOT, path).split(sep).join("/") : path;
}

/** Run one command after another; the first exit code that is not 0, or 0. */
function runAll(list) {
  let failed = 0;
  for (const [file, args, cwd] of list) failed ||= spawnSync(file, args, { cwd, stdio: "inherit" }).status ?? 1;
  return failed;
}

if (process.argv[1] === import.meta.filename) {
  try {
    const [loop, ...args] = process.argv.slice(2);
    const list = commands(loop, args);
    await prepare();
    process.exitCode = runAll(list);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}
