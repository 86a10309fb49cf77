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

const AT_ONCE = 2; // the machines that run this have two cores
const CACHE = join(ROOT, ".cache"); // of compilers; git ignores it
const MEMORY = "/dev/shm"; // a file system in memory, on Linux
const MEMORY_BYTES = 4e9; // free there, or temporary files go to the disk: pytest's take half a gigabyte
const TYPED_PROGRAMS = ["bench", "baseline", "call_trace", "code_size", "peers", "published", "size_table"].map((name) => `../tests/performance/${name}.py`);

// Hundreds of Python processes are started. Without stored bytecode, each would compile its imports: half a second.
delete process.env.PYTHONDONTWRITEBYTECODE;

/**
 * The checks in phases: a phase starts when the previous one has ended. Within a phase, `AT_ONCE` checks run at a time,
 * the longest first. pytest uses as many processes, because many of its tests wait for a process or a clock. The
 * end-to-end tests run alone, because each of them uses a browser, Node and a sidecar.
 *
 * A check is a name and a command with its arguments, or an async function that gives one.
 */
function phases(quick) {
  const inSidecar = { cwd: SIDECAR };
  const ruff = (...args) => [program("ruff"), ...args, "--config", "pyproject.toml", ".", "../tests"];
  const tsc = (name, ...args) =>
    nodeTool("typescript", "tsc", "--noEmit", "--incremental", "--tsBuildInfoFile", join(CACHE, `${name}.tsbuildinfo`), ...args);
  // eslint's cache misses changes of types in other files, so only the quick check uses it.
  const eslintCache = quick ? ["--cache", "--cache-location", join(CACHE, "eslint/")] : [];
  return [
    [
      { name: "build, at most 250 KB", command: [process.execPath, "esbuild.config.mjs", "--production"] },
      { name: "wire drift", command: [process.execPath, "sidecar/dev/wire.mjs", "--check"] },
      { name: "code size", command: [PYTHON, "tests/performance/code_size.py", "--check"] },
    ],
    [
      { name: "pytest", command: [PYTHON, "-m", "pytest", ...inWorkers(), ...inMemory(), ...(quick ? ["-m", "not slow"] : [])], ...inSidecar },
      { name: "vitest", command: () => nodeTool("vitest", "vitest", "run") },
      { name: "eslint", command: () => nodeTool("eslint", "eslint", ...eslintCache, "plugin", "tests/plugin") },
      { name: "mypy --strict", command: [PYTHON, "-m", "mypy"], ...inSidecar },
      { name: "tsc, test host", command: () => tsc("host", "-p", "tests/end_to_end") },
      { name: "tsc", command: () => tsc("plugin") },
      // A cache of its own: mypy crashes when two runs fill one at the same time.
      {
        name: "mypy --strict, programs",
        command: [PYTHON, "-m", "mypy", "--cache-dir", ".mypy_cache/programs", "dev/wire.py", ...TYPED_PROGRAMS],
        ...inSidecar,
      },
      { name: "import cycles", command: () => nodeTool("madge", "madge", "--circular", "--no-spinner", "--extensions", "ts", "plugin") },
      { name: "import contract", command: [program("lint-imports"), "--no-logo"], ...inSidecar },
      { name: "ruff check", command: ruff("check", "--quiet"), ...inSidecar },
      { name: "ruff format", command: ruff("format", "--check", "--quiet"), ...inSidecar },
    ],
    quick ? [] : [{ name: "end to end", command: endToEnd }],
  ];
}

/** Each worker starts with one half of the tests in their order, so that fixtures of a module are usually made once. */
function inWorkers() {
  return ["-n", `${AT_ONCE}`, "--dist", "worksteal"];
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
  const files = readdirSync(folder).filter((name) => name.endsWith(".test.mjs"));
  return [process.execPath, "--test", `--test-concurrency=${AT_ONCE}`, ...files.map((name) => join(folder, name))];
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

/** Run the checks of a phase, `AT_ONCE` at a time, and report each when it ends. */
async function runPhase(checks) {
  const waiting = [...checks];
  const results = [];
  const lane = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const result = await run(check);
      report(result);
      results.push(result);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
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
  prepare();
  const results = [];
  for (const phase of phases(args.includes("--quick"))) results.push(...(await runPhase(phase)));
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
