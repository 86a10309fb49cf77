// npm test: runs all checks and prints the time of each; failures are shown again at the end.
//
//   node tests/all.mjs           everything
//   node tests/all.mjs --quick   without the browser and the slow tests (npm run check)
//
// Until the packages are installed, only Node itself is available.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { PYTHON, ROOT, SIDECAR, SetupError, prepare, program } from "../sidecar/dev/environment.mjs";

const LANES = 3; // checks at a time
const PROCESSES = 2; // of each of the two long checks, as the machines that run this have two cores
const LONG_FILES = ["states.test.mjs", "lifecycle.test.mjs", "inspector.test.mjs", "languages.test.mjs"];
const CACHE = join(ROOT, ".cache"); // of compilers; git ignores it
const MEMORY = "/dev/shm"; // a file system in memory, on Linux
const MEMORY_BYTES = 4e9; // free there, or temporary files go to the disk: pytest's take half a gigabyte

// Hundreds of Python processes are started. Without stored bytecode, each would compile its imports: half a second.
delete process.env.PYTHONDONTWRITEBYTECODE;

/**
 * The checks, the longest first. `LANES` of them run at a time. pytest and the end-to-end tests each use two processes,
 * because many of their tests wait for a process or a clock.
 *
 * A check is a name and a command with its arguments, or an async function that gives one.
 */
function checks(quick) {
  const inSidecar = { cwd: SIDECAR };
  const ruff = (...args) => [program("ruff"), ...args, "--config", "pyproject.toml", ".", "../tests"];
  const tsc = (name, ...args) =>
    nodeTool("typescript", "tsc", "--noEmit", "--incremental", "--tsBuildInfoFile", join(CACHE, `${name}.tsbuildinfo`), ...args);
  // eslint's cache misses changes of types in other files, so only the quick check uses it.
  const eslintCache = quick ? ["--cache", "--cache-location", join(CACHE, "eslint/")] : [];
  return [
    { name: "pytest", command: [PYTHON, "-m", "pytest", ...inWorkers(), ...inMemory(), ...(quick ? ["-m", "not slow"] : [])], ...inSidecar },
    ...(quick ? [] : [{ name: "end to end", command: endToEnd }]),
    { name: "eslint", command: nodeTool("eslint", "eslint", ...eslintCache, "plugin", "tests/plugin") },
    { name: "vitest", command: nodeTool("vitest", "vitest", "run") },
    { name: "mypy --strict", command: [PYTHON, "-m", "mypy"], ...inSidecar },
    { name: "tsc, test host", command: tsc("host", "-p", "tests/end_to_end") },
    { name: "tsc", command: tsc("plugin") },
    { name: "import cycles", command: nodeTool("madge", "madge", "--circular", "--no-spinner", "--extensions", "ts", "plugin") },
    { name: "code size", command: [PYTHON, "tests/performance/code_size.py", "--check"] },
    { name: "import contract", command: [program("lint-imports"), "--no-logo"], ...inSidecar },
    { name: "wire drift", command: [process.execPath, "sidecar/dev/wire.mjs", "--check"] },
    { name: "ruff check", command: ruff("check", "--quiet"), ...inSidecar },
    { name: "ruff format", command: ruff("format", "--check", "--quiet"), ...inSidecar },
  ];
}

/** Each worker starts with one half of the tests in their order, so that fixtures of a module are usually made once. */
function inWorkers() {
  return ["-n", `${PROCESSES}`, "--dist", "worksteal"];
}

/** Options that keep pytest's temporary files in memory if there is room: indexes are synced to disk at every step. */
function inMemory() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < MEMORY_BYTES) return [];
  } catch {
    return []; // not Linux
  }
  const folder = mkdtempSync(join(MEMORY, "quarry-tests-"));
  process.on("exit", () => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }); // a process of a test may still write
    } catch (error) {
      console.error(`${folder} is left behind: ${error.message}`);
    }
  });
  process.on("SIGINT", () => process.exit(130)); // or Ctrl-C would leave it there
  return ["--basetemp", join(folder, "pytest")];
}

/** The script behind a package's program: the shims in node_modules/.bin need a shell on Windows. */
function nodeTool(name, bin, ...args) {
  const folder = join(ROOT, "node_modules", name);
  const declared = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).bin;
  return [process.execPath, join(folder, typeof declared === "string" ? declared : declared[bin]), ...args];
}

async function endToEnd() {
  const folder = join(ROOT, "tests", "end_to_end");
  const { installBrowser } = await import(pathToFileURL(join(folder, "browser.mjs")));
  await installBrowser();
  const first = (name) => (LONG_FILES.includes(name) ? 0 : 1);
  const files = readdirSync(folder).filter((name) => name.endsWith(".test.mjs")).sort((a, b) => first(a) - first(b));
  return [process.execPath, "--test", `--test-concurrency=${PROCESSES}`, ...files.map((name) => join(folder, name))];
}

/** Run one check; returns its output and whether it passed. */
async function run({ name, command, cwd = ROOT }) {
  const started = performance.now();
  try {
    const [file, ...args] = typeof command === "function" ? await command() : command;
    const { code, output } = await collect(file, args, cwd);
    return { name, passed: code === 0, output: output.trim(), seconds: (performance.now() - started) / 1000 };
  } catch (error) {
    return { name, passed: false, output: error.message, seconds: (performance.now() - started) / 1000 };
  }
}

function collect(file, args, cwd) {
  return new Promise((settle, fail) => {
    const child = spawn(file, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    const parts = [];
    child.stdout.on("data", (part) => parts.push(part));
    child.stderr.on("data", (part) => parts.push(part));
    child.on("error", fail);
    child.on("close", (code) => settle({ code, output: Buffer.concat(parts).toString() }));
  });
}

/** Run the checks, `LANES` at a time, and report each when it ends. */
async function runAll(waiting) {
  const results = [];
  const lane = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const result = await run(check);
      report(result);
      results.push(result);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return results;
}

function report({ name, passed, output, seconds }) {
  console.log(`${passed ? "passed" : "FAILED"}  ${name.padEnd(24)}${seconds.toFixed(1).padStart(6)} s  ${passed ? lastLine(output) : ""}`.trimEnd());
}

/** The last line of output, which is a count for most tools. */
function lastLine(output) {
  return output.split("\n").at(-1).slice(0, 100);
}

async function main(args) {
  const unknown = args.filter((arg) => arg !== "--quick");
  if (unknown.length > 0) throw new SetupError(`unknown: ${unknown.join(" ")}\nusage: npm test | npm run check`);
  await prepare();
  // The build comes first, because the end-to-end tests run it.
  const results = await runAll([{ name: "build, within its size limit", command: [process.execPath, "esbuild.config.mjs", "--production"] }]);
  results.push(...(await runAll(checks(args.includes("--quick")))));
  const failed = results.filter((result) => !result.passed);
  for (const { name, output } of failed) console.log(`\n=== ${name} ===\n\n${output}`);
  console.log(`\n${results.length - failed.length} passed, ${failed.length} failed`);
  return failed.length > 0 ? 1 : 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
