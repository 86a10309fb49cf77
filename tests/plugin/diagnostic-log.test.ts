import { expect, test } from "vitest";
import { DiagnosticLog } from "../../plugin/diagnostic-log";

test("keeps the lines in order", () => {
  const log = new DiagnosticLog();
  log.log("first");
  log.log("second");

  expect(log.text).toBe("first\nsecond");
});

test("drops the oldest lines at 50", () => {
  const log = new DiagnosticLog();
  for (let line = 1; line <= 60; line += 1) log.log(String(line));
  const lines = log.text.split("\n");

  expect([lines.length, lines[0], lines.at(-1)]).toEqual([50, "11", "60"]);
});
