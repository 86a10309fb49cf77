/**
 * Node's file calls for the page, with their values as JSON.
 */
import fs from "node:fs";
import { join } from "node:path";

/** Everything the page may call; one more name here is one more function in the page's `fs`. */
export const FILE_CALLS = /** @type {const} */ ([
  "existsSync",
  "mkdirSync",
  "readFileSync",
  "readdirSync",
  "renameSync",
  "rmSync",
  "statSync",
  "writeFileSync",
]);

/**
 * @param {{ call: string, args: unknown[] }} request
 * @returns {unknown} the value, still to be packed
 */
export function callFile({ call, args }) {
  const known = FILE_CALLS.find((name) => name === call);
  if (!known) throw new Error(`the test host has no fs.${call}`);
  return Reflect.apply(fs[known], fs, args);
}

/**
 * What the app asks of every folder and file when it starts.
 *
 * @param {string} root
 * @returns {[call: "readdirSync" | "statSync" | "readFileSync", path: string, answer: unknown][]}
 */
export function scanVault(root) {
  /** @type {ReturnType<typeof scanVault>} */
  const answers = [];
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = fs.readdirSync(folder, { withFileTypes: true });
    answers.push(["readdirSync", folder, entries]);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.name.startsWith(".")) continue;
      if (entry.isDirectory()) folders.push(path);
      if (entry.isFile()) answers.push(["statSync", path, fs.statSync(path)]);
      if (entry.isFile() && path.endsWith(".md")) answers.push(...readable(path));
    }
  }
  return answers;
}

/** @param {string} path @returns {ReturnType<typeof scanVault>} nothing for a file that is shut: the app fails to read it in its own way */
function readable(path) {
  try {
    return [["readFileSync", path, fs.readFileSync(path)]];
  } catch {
    return [];
  }
}

/**
 * Bytes, stats and folder entries as tagged JSON; everything else as it is.
 *
 * @param {unknown} value
 * @returns {unknown}
 */
export function pack(value) {
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString("base64") };
  if (value instanceof fs.Stats) return { $stat: packStat(value) };
  if (value instanceof fs.Dirent) return { $entry: { name: value.name, kind: kindOf(value) } };
  if (Array.isArray(value)) return value.map(pack);
  return value ?? null;
}

/**
 * The inverse of the page's packing: `{ $bytes }` becomes a Buffer again, anywhere in a request.
 *
 * @param {unknown} value
 * @returns {any}
 */
export function unpack(value) {
  if (Array.isArray(value)) return value.map(unpack);
  if (typeof value !== "object" || value === null) return value;
  if ("$bytes" in value && typeof value.$bytes === "string") return Buffer.from(value.$bytes, "base64");
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, unpack(inner)]));
}

/** @param {fs.Stats} stat */
function packStat(stat) {
  const { size, mode, mtimeMs, ctimeMs, birthtimeMs } = stat;
  return { size, mode, mtimeMs, ctimeMs, birthtimeMs, kind: kindOf(stat) };
}

/** @param {fs.Stats | fs.Dirent} item */
function kindOf(item) {
  if (item.isSymbolicLink()) return "link";
  if (item.isDirectory()) return "folder";
  return item.isFile() ? "file" : "other";
}
