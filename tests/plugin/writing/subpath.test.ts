import { describe, expect, test } from "vitest";
import { type NoteOutline, subpathOf } from "../../../plugin/writing/subpath";
import { passage } from "../builders";

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
