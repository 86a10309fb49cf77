import { expect, test } from "vitest";
import { ageWords, furtherPassagesWords, passagesAnnouncement } from "../../../plugin/wording/rows";
import { passage } from "../builders";

test.each([
  [-5_000, "now"],
  [59_000, "now"],
  [60_000, "1 min"],
  [3_600_000, "1 h"],
  [86_400_000, "1 d"],
  [30 * 86_400_000, "30 d"],
  [31 * 86_400_000, "1 mo"],
  [364 * 86_400_000, "11 mo"],
  [365 * 86_400_000, "1 y"],
])("an age of %d ms is %s", (ageMs, words) => {
  expect(ageWords(ageMs)).toBe(words);
});

test("the line of further passages counts them, and says what became of them", () => {
  const failed = { kind: "failed", failure: { kind: "timed-out", afterMs: 10_000 } } as const;

  expect(furtherPassagesWords({ kind: "folded" }, 1, false)).toBe("1 more passage");
  expect(furtherPassagesWords({ kind: "loading", previous: [] }, 2, false)).toBe("2 more passages");
  expect(furtherPassagesWords({ kind: "loading", previous: [] }, 2, true)).toBe("Loading 2 more passages…");
  expect(furtherPassagesWords({ kind: "loading", previous: [passage()] }, 2, true)).toBe("Show less");
  expect(furtherPassagesWords({ kind: "unfolded", passages: [passage()] }, 2, false)).toBe("Show less");
  expect(furtherPassagesWords({ kind: "unfolded", passages: [] }, 2, false)).toBe("No more passages");
  expect(furtherPassagesWords(failed, 2, false)).toMatch(/^More passages could not be loaded\. No answer within 10 s\./);
});

test("screen readers hear when further passages are there, or could not be loaded", () => {
  expect(passagesAnnouncement({ kind: "loading", previous: [] }, "API retry")).toBe("");
  expect(passagesAnnouncement({ kind: "unfolded", passages: [passage()] }, "API retry")).toBe("1 more passage in API retry");
  expect(passagesAnnouncement({ kind: "unfolded", passages: [] }, "API retry")).toBe("No more passages in API retry");
  expect(passagesAnnouncement({ kind: "failed", failure: { kind: "not-connected" } }, "API retry")).toMatch(/^More passages could not be loaded\./);
});
