// @vitest-environment jsdom
import "./dom";
import { type App } from "obsidian";
import { expect, test } from "vitest";
import { linkTo, linksTo, subpathTo } from "../../../plugin/ui/links";
import { hit, hitRow, passage } from "../builders";
import { appWith } from "./writing-doubles";

const app = appWith({ "API.md": "" });
const row = (path: string, headingPath: readonly string[]): ReturnType<typeof hitRow> => hitRow(hit(path), { passage: passage({ headingPath, line: 12 }) });

test("a link leads to the passage's own heading, written for the note it goes into", () => {
  expect(linkTo(app, row("API.md", ["API", "Backoff |1"]), "Daily.md")).toBe("[[API#Backoff 1]]");
  expect(linkTo(app, row("API.md", []), "Work/Plan.md")).toBe("[[API]] for Work/Plan.md");
});

test("a link leads to the block where the passage's lines have an id", () => {
  const position = { start: { line: 11 }, end: { line: 12 } };
  const withBlock: unknown = { vault: app.vault, metadataCache: { getFileCache: () => ({ blocks: { keel: { id: "keel", position } } }) } };

  expect(subpathTo(withBlock as App, row("API.md", ["Backoff"]))).toBe("#^keel");
});

test("a note that is gone has no link, and one that is there has each link once", () => {
  expect(linkTo(app, row("gone.md", []), "Daily.md")).toBeNull();
  expect(linksTo(app, [row("API.md", []), row("gone.md", []), row("API.md", [])], "Daily.md")).toEqual(["[[API]]"]);
});

test("a PDF file is linked at its page, a canvas as a whole", () => {
  const files = appWith({ "API.pdf": "", "API.canvas": "" });
  const pdf = hitRow(hit("API.pdf", { kind: "pdf" }), { passage: passage({ headingPath: ["Page 12"], anchor: "page=12" }) });
  const canvas = hitRow(hit("API.canvas", { kind: "canvas" }), { passage: passage({ headingPath: ["Ideas"], anchor: "f00d" }) });

  expect(linkTo(files, pdf, "Daily.md")).toContain("API.pdf#page=12");
  expect(linkTo(files, canvas, "Daily.md")).not.toContain("#");
});
