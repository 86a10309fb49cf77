// npm run release -- [--check] [--tag VERSION] [--out FOLDER] [--once]: everything that a release consists of, made here.
//
// The hosted workflow runs this same file, so what it builds can be built and compared on any machine.

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { PYTHON, ROOT, SIDECAR, SetupError, prepareNode, preparePython, runQuietly } from "./environment.mjs";
import { notesOf, problems } from "./release_checks.mjs";
import { aboutOf, bundleFiles, portableSkill, registryEntry } from "./release_formats.mjs";

const USAGE = `usage: npm run release -- [--check] [--tag VERSION] [--out FOLDER] [--once]

  --check        only compare the versions and the manifest with what a release needs
  --tag VERSION  the tag that is released: it has to be the version, and the changelog has to have its day
  --out FOLDER   where the files go (default: sidecar/dist), which is emptied first
  --once         do not build a second time to compare the bytes`;

/** JSON files besides manifest.json in which the version may stand. */
const ALSO_VERSIONED = ["sidecar/agents/claude-code/.claude-plugin/plugin.json", ".claude-plugin/marketplace.json"];
const SKILLS = join(SIDECAR, "agents", "claude-code", "skills");
const MCPB = join(ROOT, "node_modules", "@anthropic-ai", "mcpb", "dist", "cli", "cli.js");
const LIST_TOOLS = `
import json
from quarry.mcp.server import TOOLS
print(json.dumps([{"name": name, "description": tool.title} for name, tool in TOOLS.items() if name != "capture"]))`;
const SUMS = "SHA256SUMS";
const NOTES = "NOTES.md";

class UsageError extends Error {}

function readArguments(given) {
  const options = {
    check: { type: "boolean" },
    tag: { type: "string" },
    out: { type: "string" },
    once: { type: "boolean" },
    root: { type: "string" }, // of a copy of the repository's texts, for the tests of --check
    help: { type: "boolean", short: "h" },
  };
  try {
    return parseArgs({ args: given, options }).values;
  } catch (error) {
    throw error.code?.startsWith("ERR_PARSE_ARGS") ? new UsageError(error.message) : error;
  }
}

/** What is wrong with the repository's own files, one sentence each. */
function check(root, tag) {
  const text = (path) => readFileSync(join(root, path), "utf8");
  const json = (path) => JSON.parse(text(path));
  const others = Object.fromEntries(ALSO_VERSIONED.filter((path) => existsSync(join(root, path))).map((path) => [path, json(path)]));
  return problems({ manifest: json("manifest.json"), versions: json("versions.json"), package: json("package.json"), others, changelog: text("CHANGELOG.md"), tag });
}

/** Build all files of a release into an empty folder; their names. */
function build(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  runQuietly(process.execPath, [join(ROOT, "esbuild.config.mjs"), "--production", `--outfile=${join(folder, "main.js")}`], { cwd: ROOT });
  copyFileSync(join(ROOT, "manifest.json"), join(folder, "manifest.json"));
  copyFileSync(join(ROOT, "plugin", "styles.css"), join(folder, "styles.css"));
  // Times in archives are those of the commit, and not of the machine: the same commit gives the same bytes.
  const env = { ...process.env, SOURCE_DATE_EPOCH: committed(), PYTHONHASHSEED: "0", TZ: "UTC" };
  runQuietly(PYTHON, ["-m", "hatchling", "build", "-d", folder], { cwd: SIDECAR, env });
  const read = (...path) => readFileSync(join(ROOT, ...path), "utf8");
  const about = aboutOf({ pyproject: read("sidecar", "pyproject.toml"), readme: read("sidecar", "README.md"), manifest: JSON.parse(read("manifest.json")) });
  writeFileSync(join(folder, "server.json"), `${JSON.stringify(registryEntry(about), null, 2)}\n`);
  inEmptyFolder((stage) => packBundle(stage, folder, about, env));
  inEmptyFolder((stage) => packSkills(stage, join(folder, `quarry-skills-${about.version}.zip`), env));
  return readdirSync(folder).sort();
}

/** The bundle that Claude Desktop and other clients install by a click, packed by the tool of the format's authors. */
function packBundle(stage, folder, about, env) {
  const wheel = wheelOf(about.version);
  const tools = JSON.parse(execFileSync(PYTHON, ["-c", LIST_TOOLS], { encoding: "utf8" }));
  for (const [name, text] of Object.entries(bundleFiles(about, wheel, tools))) place(stage, name, text, env);
  place(stage, wheel, readFileSync(join(folder, wheel)), env);
  // The tool gives every file the time at which it packs.
  const clock = `Date = class extends Date { constructor(...given) { super(...(given.length ? given : [${env.SOURCE_DATE_EPOCH}e3])); } }`;
  runQuietly(process.execPath, ["--import", `data:text/javascript,${encodeURIComponent(clock)}`, MCPB, "pack", stage, join(folder, `quarry-${about.version}.mcpb`)], { env });
}

/** The skills, laid out to be unpacked in a project or in one's home. */
function packSkills(stage, archive, env) {
  for (const folder of readdirSync(SKILLS).sort()) {
    const { name, text } = portableSkill(readFileSync(join(SKILLS, folder, "SKILL.md"), "utf8"));
    place(stage, join(".agents", "skills", name, "SKILL.md"), text, env);
  }
  runQuietly(PYTHON, ["-m", "zipfile", "-c", archive, ".agents"], { cwd: stage, env });
}

/** Write a file whose mode and time, and those of its folders, are the same on every machine. */
function place(stage, name, content, { SOURCE_DATE_EPOCH: seconds }) {
  mkdirSync(dirname(join(stage, name)), { recursive: true });
  writeFileSync(join(stage, name), content);
  for (let path = name; path !== "."; path = dirname(path)) {
    chmodSync(join(stage, path), path === name ? 0o644 : 0o755);
    utimesSync(join(stage, path), Number(seconds), Number(seconds));
  }
}

function inEmptyFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), "quarry-release-"));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function wheelOf(version) {
  return `quarry_search-${version}-py3-none-any.whl`;
}

/** Whether the environment has what makes the archives, in whichever folder it was made. */
function canBuild() {
  return spawnSync(PYTHON, ["-c", "import hatchling"], { stdio: "ignore" }).status === 0;
}

function committed() {
  return execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: ROOT, encoding: "utf8" }).trim();
}

function sums(folder, names) {
  return names.map((name) => `${createHash("sha256").update(readFileSync(join(folder, name))).digest("hex")}  ${name}\n`).join("");
}

/** That the files are those of a release, under the names by which they are looked for. */
function missing(names, version) {
  const plugin = ["main.js", "manifest.json", "styles.css"];
  const wanted = [...plugin, wheelOf(version), `quarry_search-${version}.tar.gz`, "server.json", `quarry-${version}.mcpb`, `quarry-skills-${version}.zip`];
  return wanted.filter((name) => !names.includes(name)).map((name) => `The build made no ${name}, only ${names.join(", ")}.`);
}

/** The sums of a second build, in another folder. */
function sumsOfAnother(names) {
  return inEmptyFolder((again) => {
    build(again);
    return sums(again, names);
  });
}

async function main(given) {
  const { check: onlyCheck, tag = null, out = join(SIDECAR, "dist"), once, root = ROOT, help } = readArguments(given);
  if (help) {
    console.log(USAGE);
    return 0;
  }
  const wrong = check(resolve(root), tag);
  if (wrong.length > 0) return fail(wrong);
  if (onlyCheck) {
    console.log("The versions agree, and the manifest is as the community directory wants it.");
    return 0;
  }
  await prepareNode();
  if (!canBuild()) preparePython();
  const folder = resolve(out);
  const names = build(folder);
  const { version } = JSON.parse(readFileSync(join(ROOT, "manifest.json"), "utf8"));
  const lacking = missing(names, version);
  if (lacking.length > 0) return fail(lacking);
  const made = sums(folder, names);
  if (!once && sumsOfAnother(names) !== made) return fail(["A second build gave other bytes: something in it depends on the time, the folder or the machine."]);
  writeFileSync(join(folder, SUMS), made);
  writeFileSync(join(folder, NOTES), notesOf(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), version));
  console.log(made + (once ? "" : "A second build gave the same bytes.\n") + folder);
  return 0;
}

function fail(sentences) {
  for (const sentence of sentences) console.error(sentence);
  return 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof UsageError) console.error(`${error.message}\n\n${USAGE}`);
  else if (error instanceof SetupError) console.error(error.message);
  else throw error;
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
