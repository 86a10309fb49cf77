// Writes down what the Python structs say about the wire: the TypeScript types, docs/PROTOCOL.md, and the keywords of the
// Python API.
//
//   node sidecar/dev/wire.mjs           writes what differs
//   node sidecar/dev/wire.mjs --check   writes nothing; exits 1 when something differs

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { compile } from "json-schema-to-typescript";

import { PYTHON, ROOT } from "./environment.mjs";

const BANNER = "// Generated from sidecar/quarry/protocol/ by `npm run wire`; edit the structs, not this file.";

/** Everything that Python knows about the wire; see wire.py. */
function readWire() {
  const script = join(dirname(fileURLToPath(import.meta.url)), "wire.py");
  return JSON.parse(execFileSync(PYTHON, [script], { encoding: "utf8", maxBuffer: 16 * 1024 * 1024 }));
}

/** Interfaces for every struct, readonly throughout, then the tables that tie methods to them. */
async function messagesFile(wire) {
  const tables = [
    `/** The version of the wire that these types describe. */\nexport const PROTOCOL_VERSION = ${wire.protocol};`,
    ...Object.entries(wire.constants).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)} as const;`),
    methodsTable(wire.tables.methods),
    notificationsTable("What a client may say unasked.", "ClientNotifications", wire.tables.clientNotifications),
    notificationsTable("What the sidecar says unasked.", "ServerNotifications", wire.tables.serverNotifications),
  ];
  return `${BANNER}\n\n${await structTypes(wire.schema)}\n\n${tables.join("\n\n")}\n`;
}

async function structTypes(definitions) {
  // A root that refers to everything: types that only *stand* among the definitions get a comment of four lines each.
  const properties = Object.fromEntries(Object.keys(definitions).map((name) => [name, { $ref: `#/definitions/${name}` }]));
  const root = { title: "Wire", type: "object", properties, definitions: forTypes(definitions) };
  const source = await compile(root, "Wire", {
    additionalProperties: false,
    bannerComment: "",
    ignoreMinAndMaxItems: true,
    style: { printWidth: 120 },
  });
  return readonlyThroughout(source.replace(/export interface Wire \{[^}]*\}\n/u, "")).trim();
}

/**
 * The same schema, told so that every struct becomes one type: a `$ref` that has a description or a default beside it
 * would be written out again as `Filters1`, and bounds (which the descriptions have) as a second comment.
 */
function forTypes(schema) {
  if (Array.isArray(schema)) return schema.map(forTypes);
  if (typeof schema !== "object" || schema === null) return schema;
  const { $ref, extends: base, default: _default, maxItems: _maxItems, ...rest } = schema;
  const told = Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, forTypes(part)]));
  if (base) return { ...told, extends: base };
  return $ref ? { ...told, tsType: $ref.split("/").at(-1) } : told;
}

function readonlyThroughout(source) {
  return source
    .replace(/^( +)(\w+\??|\[k: string\]):/gmu, "$1readonly $2:")
    .replace(/export interface (\w+) extends (\w+) \{\}/gu, "export type $1 = $2;")
    .replace(/export interface (\w+) \{\}/gu, "export type $1 = Record<string, never>;") // `{}` would take anything
    .replace(/(\([^()\n]*\)|\b\w+)\[\]/gu, "readonly $1[]");
}

function methodsTable(methods) {
  const rows = Object.entries(methods).map(
    ([name, { params, result }]) => `  readonly ${JSON.stringify(name)}: { readonly params: ${params}; readonly result: ${result} };`,
  );
  return `/** Every request: what it carries and what comes back. */\nexport interface Methods {\n${rows.join("\n")}\n}`;
}

function notificationsTable(comment, name, table) {
  const rows = Object.entries(table).map(([method, params]) => `  readonly ${JSON.stringify(method)}: ${params};`);
  return `/** ${comment} */\nexport interface ${name} {\n${rows.join("\n")}\n}`;
}

/** The generated files: path from the root -> what should stand in it. */
export async function generate() {
  const wire = readWire();
  return {
    "plugin/protocol/messages.ts": await messagesFile(wire),
    "docs/PROTOCOL.md": wire.document,
    "sidecar/quarry/python/keywords.py": wire.keywords,
  };
}

function standing(path) {
  try {
    // A checkout on Windows may have turned the line ends around; that is no drift.
    return readFileSync(join(ROOT, path), "utf8").replaceAll("\r\n", "\n");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

async function main([flag]) {
  const differing = Object.entries(await generate()).filter(([path, text]) => standing(path) !== text);
  if (flag === "--check") {
    if (differing.length === 0) return 0;
    console.error(`Not what the structs say: ${differing.map(([path]) => path).join(", ")}. Run: npm run wire`);
    return 1;
  }
  for (const [path, text] of differing) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
    console.log(`wrote ${path}`);
  }
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
