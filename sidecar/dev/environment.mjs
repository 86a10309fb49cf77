// Installs what the project needs: Node packages, and the sidecar's Python environment in sidecar/.venv.
//
// Uses only Node itself, because a fresh clone has nothing else.

import { execFile, execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const SIDECAR = join(ROOT, "sidecar");
const VENV = join(SIDECAR, ".venv");
const WINDOWS = process.platform === "win32";

/**
 * A program of the sidecar's environment, such as `quarry` or `python`.
 *
 * @param {string} name
 * @returns {string} its absolute path
 */
export function program(name) {
  return WINDOWS ? join(VENV, "Scripts", `${name}.exe`) : join(VENV, "bin", name);
}

export const PYTHON = program("python");

const MINIMUM = [3, 11]; // tomllib, and what the pinned websockets and numpy ask for
const CANDIDATES = [["python3.13"], ["python3.12"], ["python3.11"], ["python3"], ["python"], ...(WINDOWS ? [["py", "-3"]] : [])];

/** A failure with a message for the person at the terminal. */
export class SetupError extends Error {}

/** Install everything that is missing or out of date, Node and Python packages at the same time; takes milliseconds if nothing is. */
export async function prepare(say = console.error) {
  const node = prepareNode(say);
  preparePython(say);
  await node;
}

/** Install the Node packages unless exactly the locked ones are installed. */
export async function prepareNode(say = console.error) {
  if (nodePackagesMatch()) return;
  say("Installing the Node packages, which takes a minute …");
  const [npm = "npm", ...first] = npmCommand();
  const command = /** @type {const} */ ([npm, [...first, "ci", "--no-progress"], { cwd: ROOT, shell: WINDOWS && npm === "npm" }]);
  await promisify(execFile)(...command).catch((error) => { throw failed(error, npm, command[1]); });
}

function npmCommand() {
  const cli = process.env.npm_execpath; // set when npm runs us; spares the shell that npm.cmd would need
  return cli?.endsWith(".js") ? [process.execPath, cli] : ["npm"];
}

function nodePackagesMatch() {
  const wanted = readLock(join(ROOT, "package-lock.json"));
  const found = readLock(join(ROOT, "node_modules", ".package-lock.json")); // npm's own note of what it installed
  return Object.entries(wanted).every(
    ([path, entry]) => path === "" || (found[path] ? found[path].version === entry.version : entry.optional === true),
  );
}

/** @param {string} path */
function readLock(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).packages : {};
}

/** Create sidecar/.venv, or update it to the lock file. */
export function preparePython(say = console.error) {
  const stamp = join(VENV, "quarry-environment");
  const wanted = fingerprint();
  if (existsSync(PYTHON) && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  if (!hasPip()) makeVenv(say);
  say("Installing the Python packages, which takes a minute or two …");
  const pip = ["-m", "pip", "--disable-pip-version-check", "install", "--quiet"];
  const hint = "Delete the folder sidecar/.venv, which may be half-made, and run this again.";
  runQuietly(PYTHON, [...pip, "--require-hashes", "-r", join(SIDECAR, "requirements.lock")], {}, hint);
  runQuietly(PYTHON, [...pip, "--no-deps", "--no-build-isolation", "-e", SIDECAR], {}, hint);
  writeFileSync(stamp, wanted); // last: an interrupted installation is repeated
}

function fingerprint() {
  const hash = createHash("sha256");
  for (const name of ["requirements.lock", "pyproject.toml"]) hash.update(readFileSync(join(SIDECAR, name)));
  return hash.update(ROOT).digest("hex"); // an editable install contains the path of its folder
}

/** Whether sidecar/.venv is complete, as it is not if its making was interrupted. */
function hasPip() {
  return spawnSync(PYTHON, ["-m", "pip", "--version"], { stdio: "ignore" }).status === 0;
}

/** @param {(line: string) => void} say */
function makeVenv(say) {
  const [python = "", ...first] = findPython();
  say("Making sidecar/.venv …");
  rmSync(VENV, { recursive: true, force: true }); // a half-made one, or one of another system
  runQuietly(python, [...first, "-m", "venv", VENV], {}, "On Debian and Ubuntu: apt install python3-venv.");
}

/** The first Python that is new enough, as a command. */
export function findPython(named = process.env.QUARRY_PYTHON) {
  const candidates = named ? [[named]] : CANDIDATES;
  const found = candidates.find(isNewEnough);
  if (found) return found;
  const version = MINIMUM.join(".");
  throw new SetupError(
    named
      ? `QUARRY_PYTHON is ${named}, which is not Python ${version} or newer.`
      : `Quarry needs Python ${version} or newer. Install it from python.org or your package manager, or set QUARRY_PYTHON to its path.`,
  );
}

/** @param {string[]} command */
function isNewEnough([command = "", ...first]) {
  const code = `import sys, venv; raise SystemExit(sys.version_info < (${MINIMUM.join(", ")}))`;
  return spawnSync(command, [...first, "-c", code], { stdio: "ignore" }).status === 0;
}

/**
 * Run a program; its output is shown only if it fails.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import("node:child_process").ExecFileSyncOptions} options
 * @param {string} hint
 */
export function runQuietly(command, args, options = {}, hint = "") {
  try {
    execFileSync(command, args, { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8", maxBuffer: 64 * 1024 * 1024, ...options });
  } catch (error) {
    throw failed(error, command, args, hint);
  }
}

/**
 * @param {any} error of a child process
 * @param {string} command
 * @param {readonly string[]} args
 */
function failed(error, command, args, hint = "") {
  const printed = [error.stdout, error.stderr].filter(Boolean).join("\n").trim();
  return new SetupError([printed, `This command failed: ${[command, ...args].join(" ")}`, hint || error.code].filter(Boolean).join("\n"));
}
