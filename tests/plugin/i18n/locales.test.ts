import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import de from "../../../sidecar/quarry/locales/de.json";
import en from "../../../sidecar/quarry/locales/en.json";
import ja from "../../../sidecar/quarry/locales/ja.json";
import zh from "../../../sidecar/quarry/locales/zh.json";
import { type Catalogue } from "../../../plugin/i18n/translate";
import { scan, scanPlugin } from "./sources";

const ENGLISH: Catalogue = en;
const TRANSLATIONS: readonly (readonly [string, Catalogue])[] = [["de", de], ["ja", ja], ["zh", zh]];
const ALL: readonly (readonly [string, Catalogue])[] = [["en", en], ...TRANSLATIONS];
const SOURCES = scanPlugin();

/** What developers and scripts read stays in English: the errors of the API, the commands of the terminal and the prompts of MCP. */
const isEnglishOnly = (key: string): boolean => /^(api|cli|mcp)\./.test(key);
const TRANSLATED = Object.keys(ENGLISH).filter((key) => !isEnglishOnly(key));
/** The engine chooses these; `tests/sidecar/test_messages.py` looks for them in its source. */
const isOfEngine = (key: string): boolean => /^(absent|abstained|compared|consent|explained|incomplete|mcp|obstacle|query|reason|relaxed|status|understood|word)\./.test(key);

const formsOf = (entry: Catalogue[string]): readonly string[] => (typeof entry === "object" && entry ? Object.values(entry) : [entry ?? ""]);
const placeholdersOf = (text: string): readonly string[] => [...new Set(text.match(/\{[\w:]+\}/g))].sort();

describe.each(ALL)("%s", (language, words) => {
  test("has the keys of English, each once, sorted, two spaces deep", () => {
    const file = readFileSync(join(import.meta.dirname, `../../../sidecar/quarry/locales/${language}.json`), "utf8");
    const sorted = Object.fromEntries(Object.entries(words).sort(([a], [b]) => (a < b ? -1 : 1)));

    expect(Object.keys(words)).toEqual(language === "en" ? Object.keys(ENGLISH) : TRANSLATED);
    expect(file).toBe(`${JSON.stringify(sorted, null, 2)}\n`);
  });

  test("has the placeholders of English in every form", () => {
    const wrong = TRANSLATED.filter((key) => formsOf(words[key]).some((form) => placeholdersOf(form).join() !== placeholdersOf(formsOf(ENGLISH[key]).at(-1) ?? "").join()));

    expect(wrong).toEqual([]);
  });

  test("has the plural forms of the language, where English has any", () => {
    const categories = [...new Intl.PluralRules(language).resolvedOptions().pluralCategories].sort();
    const wrong = TRANSLATED.filter((key) => {
      const entry = words[key];
      if (typeof ENGLISH[key] === "string") return typeof entry !== "string";
      return typeof entry !== "object" || !entry || Object.keys(entry).sort().join() !== categories.join();
    });

    expect(wrong).toEqual([]);
  });

  test("is plain text that neither shouts nor links, with no space at its ends", () => {
    const texts = Object.entries(words).filter(([key]) => key !== "row.listSeparator" && key !== "pane.headings").flatMap(([, entry]) => formsOf(entry));

    expect(texts.filter((text) => /[!！<>]|https?:|\.\.\.|^\s|\s$|^$/.test(text))).toEqual([]);
  });
});

/** What reads the same in another language, because it is a name, a sign or a loan word there. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  de: ["answer.took", "capture.tags", "capture.text", "row.maps", "row.pdf", "settings.enginePathExample", "settings.inspect", "settings.normal", "settings.status", "signal.tags"],
  ja: ["keyName.PageDown", "keyName.PageUp", "row.pdf", "settings.enginePathExample"],
  zh: ["keyName.PageDown", "keyName.PageUp", "row.pdf", "settings.enginePathExample"],
};

/** Names, and what is typed as it stands in every language. */
const LATIN = /quarry (?:tiers (?:add|remove)|models use|team status)|Quarry|00-inbox|\[capture\]|[„「“]folder[“」”]|Ctrl\+Alt\+T|Enter|“?terminal”?|PowerShell|Windows|Homebrew|\buv\b|astral\.sh|Page (?:Down|Up)|“?Which model\?|PDF files|Ollama( pull)?|nomic-embed-text|Markdown|JSON( Canvas)?|UTF-8|\bMB\b|MiB|\.indexignore|Obsidian|Hugging Face|Reciprocal Rank Fusion|RRF|PDF|pdf|Transformer|Templater|transformer|quarry|running|doctor|toml|\brun\b|\b[a-z-]+:|hooks\.conversation_tokens|\b(tag|OR|today|domain|status|type)\b|~\/\.local\/bin/gi;

describe.each(TRANSLATIONS)("the translation %s", (language, words) => {
  test("leaves nothing in English but what is named here", () => {
    const spoken = TRANSLATED.filter((key) => formsOf(ENGLISH[key]).some((form) => /\p{L}/u.test(form.replace(/\{[\w:]+\}/g, ""))));
    const same = spoken.filter((key) => JSON.stringify(words[key]) === JSON.stringify(ENGLISH[key]) || formsOf(words[key]).at(-1) === formsOf(ENGLISH[key]).at(-1));

    expect(same).toEqual(SAME[language]);
  });

  test("mixes no English into its sentences", () => {
    const english = language === "de" ? /\b(the|of|and|are|with|this|that|which|notes?|folder|search|engine|index(ing|ed))\b/ : /[A-Za-z]{2,}/;
    const mixed = Object.entries(words).filter(([, entry]) => formsOf(entry).some((form) => english.test(form.replace(/\{[\w:]+\}/g, "").replace(LATIN, ""))));

    expect(mixed.map(([key]) => key)).toEqual([]);
  });

  test("uses the terms and the signs of Obsidian's translation", () => {
    const foreign = { de: /Passage|Tresor|Schlagwort|Abfrage/, ja: /フォルダー|パッセージ|ボルト|（|）|：/, zh: /您|保险库|文檔|:$/ }[language] ?? /$^/;
    const wrong = Object.entries(words).filter(([, entry]) => formsOf(entry).some((form) => foreign.test(form)));

    expect(wrong.map(([key]) => key)).toEqual([]);
  });

  test("quotes as its readers do", () => {
    const foreign = { de: /[“”](?!\s|$|[.,;:)])|["«»「」]/, ja: /[“”„«»]/, zh: /[„«»「」]/ }[language] ?? /$^/;
    const wrong = Object.entries(words).filter(([key, entry]) => key !== "panel.emptyDetail" && formsOf(entry).some((form) => foreign.test(form)));

    expect(wrong.map(([key]) => key)).toEqual([]);
  });
});

describe("the sources", () => {
  test("use every key", () => {
    const unused = Object.keys(ENGLISH).filter((key) => !isOfEngine(key) && !SOURCES.literals.has(key) && !SOURCES.templates.some((template) => template.test(key)));

    expect(unused).toEqual([]);
  });

  test("give every sentence exactly its arguments", () => {
    const wrong = SOURCES.lookups.flatMap(({ where, keys, args }) =>
      keys.filter((key) => key in ENGLISH && args !== null && [...new Set(formsOf(ENGLISH[key]).flatMap(placeholdersOf))].map((found) => found.replace(/:\w+/, "")).sort().join() !== args.map((name) => `{${name}}`).sort().join()).map((key) => `${where} ${key}`),
    );

    expect(wrong).toEqual([]);
  });

  test("look nothing up before the language is chosen", () => {
    expect(SOURCES.lookups.filter(({ isTopLevel }) => isTopLevel).map(({ where }) => where)).toEqual([]);
  });

  test("hold no English of their own", () => {
    const typed = /^i18n\/operators\.ts:|:\d+ Tab$/; // operators and the name of a key are the same in every language

    expect(SOURCES.spoken.filter((found) => !typed.test(found))).toEqual([]);
  });
});

test("what is looked for in the sources is found in one that has it", () => {
  const found = scan("x.ts", 'const a = t("a.b"); function f() { el.setText(`Hello ${name}`); new Notice(is ? "Yes" : t(`c.${d}`, { e })); }');

  expect(found.lookups.map(({ keys, args, isTopLevel }) => [keys, args, isTopLevel])).toEqual([[["a.b"], [], true], [["c."], ["e"], false]]);
  expect(found.spoken).toEqual(["x.ts:1 Hello ", "x.ts:1 Yes"]);
  expect(found.templates.map((template) => template.test("c.title"))).toEqual([false, true]);
});
