import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { chooseLanguage, currentLanguage, number, say, t, translated } from "../../../plugin/i18n/translate";

beforeEach(() => { chooseLanguage("en"); });
afterEach(() => { chooseLanguage("en"); }); // files that run in one thread may share modules

describe("a sentence", () => {
  test("has its arguments in their places, numbers as the language writes them", () => {
    expect(t("answer.count", { shown: 30, count: 1_412 })).toBe("30 of 1,412 notes");
    expect(t("panel.occupiedDetailPid", { pid: "12345" })).toMatch(/^Process 12345 /);
  });

  test("has the form that its count asks for", () => {
    expect([0, 1, 2].map((count) => t("count.notes", { count }))).toEqual(["0 notes", "1 note", "2 notes"]);
  });

  test("keeps an argument as it is, whatever it looks like", () => {
    expect(t("panel.noResults", { query: "{title} $& <b>" })).toBe("No results for {title} $& <b>");
  });

  test("is unknown under a key that nobody wrote", () => {
    expect(translated("signal.novelty")).toBeNull();
  });
});

describe("a message of the engine", () => {
  const lacking = { code: "relaxed.none-all", args: { what: { code: "word.any-of", args: { words: ["a", "b"] } } } };

  test("has the messages in it, and lists joined and quoted as the language does", () => {
    expect(say(lacking)).toBe("No notes contain “a” or “b”.");
    chooseLanguage("de");
    expect(say(lacking)).toBe("Keine Notiz enthält „a“ oder „b“.");
    expect(say({ code: "understood.notes", args: { conditions: [{ code: "understood.folder", args: { folder: "A" } }, "x"] } })).toBe("Notizen im Ordner A, x");
    chooseLanguage("ja");
    expect(say({ code: "understood.either", args: { parts: [lacking, lacking] } })).toBe(`${say(lacking)}または${say(lacking)}`);
  });

  test("is its code where that is unknown", () => {
    expect(say({ code: "query.of-the-future", args: {} })).toBe("query.of-the-future");
  });
});

describe("the language", () => {
  test.each(["en", "en-GB", "en-US"])("%s is English, with its own numbers and dates", (tag) => {
    chooseLanguage(tag);

    expect([currentLanguage(), t("action.restart")]).toEqual([tag, "Restart"]);
  });

  test.each(["zh-TW", "zh-Hant", "fr", "pt-BR", "", "constructor", "no such language"])("%s is not spoken, so it is English", (tag) => {
    chooseLanguage(tag);

    expect([currentLanguage(), t("action.restart")]).toEqual(["en", "Restart"]);
  });

  test.each([
    ["de", "Neu starten", "1 Notiz", "16.894 Notizen"],
    ["de-AT", "Neu starten", "1 Notiz", "16.894 Notizen"],
    ["ja", "再起動", "1件のノート", "16,894件のノート"],
    ["zh", "重新启动", "1 篇笔记", "16,894 篇笔记"],
    ["zh-CN", "重新启动", "1 篇笔记", "16,894 篇笔记"],
  ])("%s is spoken, with its plural forms and numbers", (tag, restart, one, many) => {
    chooseLanguage(tag);

    expect([t("action.restart"), t("count.notes", { count: 1 }), t("count.notes", { count: 16_894 })]).toEqual([restart, one, tag === "de-AT" ? many.replace(".", "\u00a0") : many]);
  });

  test("numbers are grouped by thousands", () => {
    expect([number(16_894), number(1_412_000)]).toEqual(["16,894", "1,412,000"]);
  });
});
