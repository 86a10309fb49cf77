import { expect, test } from "vitest";
import { Journal } from "../../plugin/journal";

test("keeps what was remarked, in order", () => {
  const journal = new Journal();
  journal.remark("first");
  journal.remark("second");

  expect(journal.text).toBe("first\nsecond");
});

test("forgets the oldest lines rather than grow for ever", () => {
  const journal = new Journal();
  for (let line = 1; line <= 60; line += 1) journal.remark(String(line));
  const lines = journal.text.split("\n");

  expect([lines.length, lines[0], lines.at(-1)]).toEqual([50, "11", "60"]);
});
