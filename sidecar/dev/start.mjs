// npm start -- [VAULT] [--query TEXT] [--link]: from a fresh clone to answers, in one command.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { ROOT, SetupError, prepare, program, runQuietly } from "./environment.mjs";
import { placePlugin, vaultFolder } from "./vault_plugin.mjs";

const USAGE = `usage: npm start -- [VAULT] [--query TEXT] [--link]

  VAULT         a folder of Markdown notes (default: the sample vault of this repository)
  --query TEXT  answer one query and exit; without it, prompt for queries
  --link        link the plugin into VAULT/.obsidian/plugins/quarry; without it, nothing is written to the vault`;

const SAMPLE_VAULT = join(ROOT, "tests", "retrieval", "vault");

/** An invalid command line. */
class UsageError extends Error {}

function readArguments(given) {
  const options = { query: { type: "string" }, link: { type: "boolean" }, help: { type: "boolean", short: "h" } };
  try {
    const { values, positionals } = parseArgs({ args: given, options, allowPositionals: true });
    if (positionals.length > 1) throw new UsageError(`One vault at a time, not ${positionals.length}: ${positionals.join(", ")}`);
    if (values.query?.trim() === "") throw new UsageError("--query is empty.");
    return { ...values, vault: findVault(positionals[0]) };
  } catch (error) {
    throw error.code?.startsWith("ERR_PARSE_ARGS") ? new UsageError(error.message) : error;
  }
}

function findVault(named) {
  if (!named) return SAMPLE_VAULT;
  const { vault, error } = vaultFolder(named);
  if (error) throw new UsageError(error);
  return vault;
}

function buildPlugin() {
  runQuietly(process.execPath, [join(ROOT, "esbuild.config.mjs"), "--production"], { cwd: ROOT });
}

function linkPlugin(vault) {
  const { folder, copied } = placePlugin(vault, { link: true });
  console.error(copied.length > 0 ? `Copied the plugin to ${folder}: this system allows no links. Repeat this after each build.` : `Linked the plugin into ${folder}.`);
  console.error("In Obsidian, enable Quarry under Settings, Community plugins, and set its program path to");
  console.error(program("quarry"));
}

/** Run the engine in this terminal; returns its exit code. The engine handles Ctrl-C. */
function quarry(...args) {
  return new Promise((settle, fail) => {
    const child = spawn(program("quarry"), args, { stdio: "inherit", cwd: ROOT });
    child.on("error", fail);
    child.on("exit", (code, signal) => settle(signal ? 1 : code));
  });
}

async function main(given) {
  const { vault, query, link, help } = readArguments(given);
  if (help) {
    console.log(USAGE);
    return 0;
  }
  await prepare();
  buildPlugin();
  if (link) linkPlugin(vault);
  process.on("SIGINT", () => {});
  const indexed = await quarry("index", vault);
  if (indexed !== 0) return indexed;
  return quarry("search", "--vault", vault, ...(query === undefined ? [] : ["--", query]));
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof UsageError) console.error(`${error.message}\n\n${USAGE}`);
  else if (error instanceof SetupError) console.error(error.message);
  else throw error;
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
