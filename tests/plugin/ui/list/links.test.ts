// @vitest-environment jsdom
import { type App } from "obsidian";
import { describe, expect, test } from "vitest";
import "../dom";
import { linksTo, linkTo, type NoteOutline, subpathOf, subpathTo } from "../../../../plugin/ui/list/links";
import { hit, hitRow, passage } from "../../builders";
import { appWith } from "../writing-doubles";

describe("links", () => {
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
});

describe("subpath", () => {
  const EMPTY: NoteOutline = { headings: [], blocks: [] };
  const strip = (heading: string): string => heading.replace(/[#|^]/gu, "");
  const at = (headingPath: readonly string[], outline: NoteOutline = EMPTY, line = 12): string => subpathOf(passage({ headingPath, line }), "Gateway", outline, strip);

  describe("the subpath", () => {
    test("is the passage's own heading, without what would end a link", () => {
      expect(at(["Gateway", "Back|off #1"])).toBe("#Backoff 1");
    });

    test("names the headings above where the note has two of that name", () => {
      const headings = [{ heading: "Notes", level: 2 }, { heading: "Notes", level: 2 }];

      expect(at(["Gateway", "May", "Notes"], { ...EMPTY, headings })).toBe("#Gateway#May#Notes");
    });

    test("is the block that the passage is in, where that has an id", () => {
      const blocks = [{ id: "other", firstLine: 0, lastLine: 11 }, { id: "here", firstLine: 12, lastLine: 13 }];

      expect(at(["Backoff"], { ...EMPTY, blocks })).toBe("#^here");
    });

    test("is empty above all headings, below the note's own title, and without a passage", () => {
      expect([at([]), at(["Gateway"]), subpathOf(null, "Gateway", EMPTY, strip)]).toEqual(["", "", ""]);
    });
  });
});
