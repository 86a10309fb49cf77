import { afterEach, expect, test } from "vitest";
import { type NoteReport } from "../../../plugin/protocol/messages";
import { exceptionWords, indexFacts, problemWords, reasonWords, reportWords, wayOutWords } from "../../../plugin/i18n/inspection";
import { chooseLanguage } from "../../../plugin/i18n/translate";
import { indexStatus } from "../builders";

afterEach(() => { chooseLanguage("en"); });

const REPORT: NoteReport = {
  path: "a.md", state: "indexed", reasons: [], modifiedMs: 2, sizeBytes: 3,
  indexed: { title: "A", chunks: 2, words: 300, languages: [], redactions: { password: 2, token: 1 }, skippedSections: ["Links"], hasVectors: false, modifiedMs: 1, sizeBytes: 3 },
};

test("what is not simply found is counted by state", () => {
  const counts = { indexed: 5, partial: 0, hidden: 0, waiting: 0, excluded: 1400, failed: 1, withoutVectors: 2 };

  expect(exceptionWords(counts)).toBe("1,400 excluded · 1 failed · 2 waiting for search by meaning");
});

test("a reason is said with its entry; one that is not known, or says more, as the engine said it", () => {
  expect(reasonWords({ code: "folders-exclude", entry: "A {plugin}", plugin: null, message: "m" })).toBe("The settings exclude the folder “A {plugin}”.");
  expect(reasonWords({ code: "unreadable", entry: null, plugin: null, message: "a.md cannot be read: Permission denied" })).toBe("A.md cannot be read: Permission denied.");
  expect(reasonWords({ code: "status", entry: null, plugin: null, message: "hidden by its status" })).toBe("Hidden by its status.");
});

test("a problem names its note; one of the settings says in English which of them", () => {
  const problem = { path: "A.md", code: "unreadable", reason: "it cannot be read: Permission denied", skipped: true } as const;
  const setting = { path: "", code: "settings", reason: "unknown key 'serach'", skipped: false } as const;

  expect(problemWords(problem)).toBe("A.md (not indexed): it cannot be read: Permission denied");
  expect(problemWords(setting)).toBe("Unknown key 'serach'.");
  chooseLanguage("de");
  expect(problemWords(problem)).toBe("A.md (nicht indiziert): Sie kann nicht gelesen werden. Prüfe die Zugriffsrechte und ob das Laufwerk verbunden ist.");
  expect(problemWords(setting)).toBe("Eine Einstellung oder Regel kann nicht angewendet werden. Unknown key 'serach'.");
});

test("a note that is found: what of it is indexed, credentials as a count", () => {
  const { sentences, facts } = reportWords(REPORT);

  expect(sentences).toEqual(["This note is in the index and can be found."]);
  expect(Object.fromEntries(facts)).toMatchObject({ Passages: "2", Words: "300", "Credentials redacted": "3", "Sections left out": "Links", "Search by meaning": "not ready yet" });
});

test("facts that are not known are left out", () => {
  const labels = indexFacts(indexStatus({ indexedMs: null, builtMs: null }), null, 0).map(([label]) => label);

  expect(labels).toEqual(["Notes", "Passages", "Size on disk", "Model"]);
});

test("a way out names the folder", () => {
  expect(wayOutWords({ kind: "include", folder: "Archive" })).toBe("Include “Archive” in Quarry");
  expect(wayOutWords({ kind: "retry" })).toBe("Try again");
});
