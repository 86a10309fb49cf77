import { expect, test } from "vitest";
import { furtherPassagesWords, moreWords, passagesAnnouncement, sectionWords } from "../../../plugin/i18n/rows";
import { passage } from "../builders";

test("the line of further passages counts them, and says what became of them", () => {
  const failed = { kind: "failed", failure: { kind: "timed-out", afterMs: 10_000 } } as const;

  expect(furtherPassagesWords({ kind: "folded" }, 1, false)).toBe("1 more passage");
  expect(furtherPassagesWords({ kind: "loading", previous: [] }, 2, false)).toBe("2 more passages");
  expect(furtherPassagesWords({ kind: "loading", previous: [] }, 2, true)).toBe("Loading 2 more passages…");
  expect(furtherPassagesWords({ kind: "loading", previous: [passage()] }, 2, true)).toBe("Show less");
  expect(furtherPassagesWords({ kind: "unfolded", passages: [passage()] }, 2, false)).toBe("Show less");
  expect(furtherPassagesWords({ kind: "unfolded", passages: [] }, 2, false)).toBe("No more passages");
  expect(furtherPassagesWords(failed, 2, false)).toMatch(/^More passages could not be loaded\. No answer within 10 seconds\./);
});

test("screen readers hear when further passages are there, or could not be loaded", () => {
  expect(passagesAnnouncement({ kind: "loading", previous: [] }, "API retry")).toBe("");
  expect(passagesAnnouncement({ kind: "unfolded", passages: [passage()] }, "API retry")).toBe("1 more passage in API retry");
  expect(passagesAnnouncement({ kind: "unfolded", passages: [] }, "API retry")).toBe("No more passages in API retry");
  expect(passagesAnnouncement({ kind: "failed", failure: { kind: "not-connected" } }, "API retry")).toMatch(/^More passages could not be loaded\./);
});

test("a group of related rows is named after their note, and leads to the view of them", () => {
  expect(sectionWords({ section: "related", name: "Glue" })).toBe("Related to Glue");
  expect(sectionWords({ section: "examples" })).toBe("Examples from your notes");
  expect(moreWords({ what: "related", count: 0 })).toBe("Open related notes");
});
