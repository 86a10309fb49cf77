import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { DOCUMENTED_VARIABLES } from "./css-variables";

const css = readFileSync(new URL("../../plugin/styles.css", import.meta.url), "utf8").replace(/\/\*.*?\*\//gs, "");

test("only variables that Obsidian documents are used", () => {
  const used = [...css.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name ?? "");

  expect(used.length).toBeGreaterThan(20);
  expect(used.filter((name) => !DOCUMENTED_VARIABLES.has(name))).toEqual([]);
});

test("no colour is our own", () => {
  expect(css).not.toMatch(/#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(/i);
});

test("every rule is about elements of ours", () => {
  const selectors = [...css.matchAll(/([^{}]+)\{/g)].map(([, selector]) => (selector ?? "").trim()).filter((selector) => !selector.startsWith("@") && selector !== "to"); // the end of an animation
  const foreign = selectors.flatMap((selector) => selector.split(",")).filter((selector) => !/\.quarry-[\w-]+|::highlight\(quarry-[\w-]+\)/.test(selector));

  expect(foreign).toEqual([]);
});

test("nothing overrules a theme by force", () => {
  expect(css).not.toMatch(/!important|:has\(/);
});

test("a bar has the colour of the theme", () => {
  expect(css).toMatch(/\.quarry-progress-bar \{[^}]*accent-color: var\(--interactive-accent\)/);
});
