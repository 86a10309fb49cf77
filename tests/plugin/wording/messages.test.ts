import { afterEach, expect, test } from "vitest";
import { messageWords } from "../../../plugin/wording/messages";
import { chooseLanguage } from "../../../plugin/wording/translate";

afterEach(() => { chooseLanguage("en"); });

test("a message is worded by its code and arguments", () => {
  expect(messageWords({ code: "relaxed-words", args: { words: ["a", "b"], among: "all" } }, "")).toBe("No notes contain “a” or “b”. These are the nearest in meaning.");
  expect(messageWords({ code: "relaxed-words", args: { words: ["a"], among: "filtered" } }, "")).toMatch(/^No notes that match the filters contain “a”\./);
  expect(messageWords({ code: "relaxed-unmet-filters", args: { filters: ["#x", "folder:Y"], ignored: 2 } }, "")).toBe("No notes match #x, folder:Y. Showing results without the filters.");
  expect(messageWords({ code: "bad-regex", args: { pattern: "(", problem: "missing-parenthesis", reason: "missing )" } }, "")).toBe("Check the regular expression: a “)” is missing.");
  expect(messageWords({ code: "explain-hit", args: { rank: 1, total: 3, reasons: ["title", "words"] } }, "")).toBe("It ranks 1 of 3. Its title matches. Its words match.");
  expect(messageWords({ code: "explain-absent", args: { reason: "templates", entry: "T", plugin: "Templater" } }, "")).toContain("Templater");
});

test("it is in the user's language", () => {
  chooseLanguage("de");

  expect(messageWords({ code: "too-many-filters", args: { limit: 100 } }, "")).toBe("Mehr als 100 Filter. Nimm weniger.");
});

test("a code of a newer engine is told in the engine's words, and so is none", () => {
  expect(messageWords({ code: "new-code" as "bad-date", args: {} }, "something is new")).toBe("Something is new.");
  expect(messageWords(null, "as it is")).toBe("As it is.");
});
