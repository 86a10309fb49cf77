import { expect, test } from "vitest";
import { OPERATORS, timeValues } from "../../../plugin/i18n/operators";
import { t } from "../../../plugin/i18n/translate";

test("every operator is listed once and has a hint", () => {
  expect(new Set(OPERATORS.map(({ token }) => token)).size).toBe(OPERATORS.length);
  for (const { hint } of OPERATORS) expect(t(hint)).toMatch(/^[A-Z].*[^.]$/);
});

test("Obsidian's operators for a line, a block and the case are suggested", () => {
  expect(OPERATORS.map(({ token }) => token)).toEqual(expect.arrayContaining(["line:", "block:", "match-case:"]));
});

test("what is opened is closed behind the caret", () => {
  const closings = Object.fromEntries(OPERATORS.flatMap(({ token, closing }) => (closing === undefined ? [] : [[token, closing]])));

  expect(closings).toEqual({ '"': '"', "(": ")", "/": "/" });
});

test("dates are suggested by example, for the current year", () => {
  const values = timeValues(2026).map(([value]) => value);

  expect(values).toEqual(expect.arrayContaining(["today", "7d", "last week", "2026", ">=2026-01-01", "2025..2026"]));
});
