// What the README discloses is what the plugin does.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { shownCatalogue } from "../../plugin/build/locales.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FOLDER = join(ROOT, "plugin");
const sources = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts")).map((name) => [name.replaceAll("\\", "/"), readFileSync(join(FOLDER, name), "utf8")]);
const readme = readFileSync(join(ROOT, "README.md"), "utf8");
const disclosed = readme.slice(readme.indexOf("## What it reads"), readme.indexOf("## For developers"));

/** Files in which *pattern* stands. */
const having = (pattern) => sources.filter(([, text]) => pattern.test(text)).map(([name]) => name);

test("desktop only and a separate program stand before everything else", () => {
  const [, first = ""] = readme.split("\n\n");

  expect(first).toMatch(/desktop app only/);
  expect(first.replace(/\s+/g, " ")).toMatch(/needs a separate program/);
  expect(JSON.parse(readFileSync(join(ROOT, "manifest.json"), "utf8")).isDesktopOnly).toBe(true);
});

test("every environment variable that the plugin reads is named", () => {
  const names = sources.flatMap(([, text]) => [...text.matchAll(/\benv\["(\w+)"\]/g)].map(([, name]) => name));

  expect(names.length).toBeGreaterThan(3);
  expect(names.filter((name) => !disclosed.includes(`\`${name}\``))).toEqual([]);
});

test("nothing is asked of a network, and one file opens sockets, on this machine", () => {
  expect(having(/\bfetch\(|XMLHttpRequest|requestUrl|EventSource|sendBeacon|import\("https?:/)).toEqual([]);
  expect(having(/new WebSocket\(/)).toEqual(["main.ts"]);
  expect(having(/["'`]wss?:\/\//)).toEqual(["sidecar/connection.ts"]);
  expect(readFileSync(join(FOLDER, "sidecar/connection.ts"), "utf8")).toContain("ws://127.0.0.1:${");
});

test("one file reaches Node, and no shell is started", () => {
  expect(having(/from "(?:node:)?(?:child_process|fs|fs\/promises|os|net|http)"/)).toEqual(["sidecar/process.ts"]);
  expect(having(/shell: *true|execSync|\bexec\(["'`]/)).toEqual([]);
});

test("nothing is packed: whoever reads main.js reads its sentences, too", () => {
  expect(having(/zlib|brotli|base64|\batob\(/)).toEqual([]);
  const catalogue = fileURLToPath(new URL("../../sidecar/quarry/locales/ja.json", import.meta.url));

  expect(JSON.parse(shownCatalogue(catalogue))["pane.placeholder"]).toBe("語句と意味で検索");
  expect(shownCatalogue(catalogue)).not.toContain("abstained.");
});

test("the clipboard is written and never read", () => {
  expect(having(/clipboard\.(?:read|readText)\(|["']paste["']/)).toEqual([]);
  expect(having(/clipboard\.writeText\(/).length).toBeGreaterThan(0);
});

test("no note becomes HTML or code", () => {
  expect(having(/\b(?:inner|outer)HTML\b\s*=|insertAdjacentHTML|\beval\(|new Function\(/)).toEqual([]);
});

test("nobody is told to install a package whose name is not ours", () => {
  const told = [["README.md", readme], ...readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md")).map((name) => [name, readFileSync(join(ROOT, "docs", name), "utf8")])];

  expect(told.filter(([, text]) => /(?:uv tool|pipx|pip|uvx) (?:install|run)[^\n`]* quarry-search/.test(text)).map(([name]) => name)).toEqual([]);
});
