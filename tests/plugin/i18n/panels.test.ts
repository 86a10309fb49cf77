import { describe, expect, test } from "vitest";
import { installSteps, updateSteps } from "../../../plugin/i18n/engine";
import { announcement, blockCountWords, blockErrorWords, blockPanel, panelWords, relatedPanel, relatedToWords } from "../../../plugin/i18n/panels";
import { emptyModel } from "../../../plugin/pane/model";
import { type PaneState } from "../../../plugin/pane/state";
import { type Message } from "../../../plugin/protocol/messages";
import { answer, hit, indexStatus, MISSING } from "../builders";

/** One of each: a new kind will not compile until it stands here. */
const STATES: { readonly [K in PaneState["kind"]]: Extract<PaneState, { kind: K }> } = {
  missing: MISSING,
  unapproved: { kind: "unapproved", program: "/bin/quarry", isDeclined: false },
  outdated: { kind: "outdated", program: "/bin/quarry", version: "0.0.9", protocol: 0 },
  occupied: { kind: "occupied", pid: 12 },
  failed: { kind: "failed", failure: { kind: "unreachable" }, log: "" },
  disconnected: { kind: "disconnected" },
  starting: { kind: "starting" },
  empty: { kind: "empty", hasHistory: false },
  searching: { kind: "searching" },
  unmatched: { kind: "unmatched", answer: answer({ query: "zettelk" }) },
  results: { kind: "results", answer: answer({ hits: [hit("a.md")] }) },
  "no-results": { kind: "no-results", answer: answer(), isIndexing: false },
  "bad-query": { kind: "bad-query", message: "no closing quote", next: "close it", position: 3 },
  "search-failed": { kind: "search-failed", failure: { kind: "timed-out", afterMs: 10_000 } },
};
const SPEAKS_THROUGH_ROWS: readonly PaneState["kind"][] = ["results", "searching", "unmatched"];

const NOTHING_TO_LEAVE: readonly PaneState["kind"][] = ["starting", "empty", "no-results"];

describe("every state of the pane", () => {
  test.each(Object.values(STATES).filter(({ kind }) => !SPEAKS_THROUGH_ROWS.includes(kind)))("$kind has words and a way out", (state) => {
    const words = panelWords(state);

    expect(words?.title).toMatch(/^[A-Z].{8,}[^.]$/);
    expect(words?.detail).toMatch(/^[A-Z"].*\.$/s);
    expect(words?.actions.every(({ label }) => /^[A-Z]/.test(label))).toBe(true);
    expect(words?.hasWayOut).toBe((words?.actions.length ?? 0) > 0 && !NOTHING_TO_LEAVE.includes(state.kind));
  });

  test("an engine that keeps stopping shows the last five lines of its log", () => {
    const log = "one\n\ntwo\nthree\n  four  \nfive\nsix\n";
    const words = panelWords({ kind: "failed", failure: { kind: "exited", code: 7, signal: null }, log });

    expect(words?.title).toBe("The search engine keeps stopping");
    expect(words?.detail).toBe("The engine exited with code 7. The diagnostics include its log.");
    expect(words?.log).toEqual(["two", "three", "four", "five", "six"]);
    expect(panelWords(STATES.failed)?.log).toEqual([]);
  });

  test("rows need no panel", () => {
    expect(SPEAKS_THROUGH_ROWS.map((kind) => panelWords(STATES[kind]))).toEqual([null, null, null]);
  });

  test("a word that no note has is said, and of several words that none is there", () => {
    const several = { kind: "unmatched", answer: answer({ query: "zettel kast" }) } as const;

    expect([announcement(STATES.unmatched), announcement(several)]).toEqual(["No note contains “zettelk”.", "No note contains these words."]);
  });

  test("there are steps to install and to update", () => {
    expect(panelWords(STATES.missing)?.steps).toEqual(installSteps(MISSING));
    expect(panelWords(STATES.outdated)?.steps).toEqual(updateSteps());
    expect(panelWords(STATES.missing)?.actions.map(({ id }) => id)).toEqual(["check-again", "open-settings"]);
  });

  test("the question names the program, and an answer of no is not asked about again", () => {
    expect(panelWords(STATES.unapproved)).toMatchObject({ program: "/bin/quarry", hasWayOut: true });
    expect(panelWords(STATES.unapproved)?.actions.map(({ label }) => label)).toEqual(["Start", "Not now", "Open settings"]);
    expect(panelWords({ ...STATES.unapproved, isDeclined: true })?.actions.map(({ label }) => label)).toEqual(["Start", "Open settings"]);
  });

  test("an engine newer than the plugin asks for the plugin's update", () => {
    const words = panelWords({ ...STATES.outdated, version: "9.0.0", protocol: 9 });

    expect(words?.steps).toBeUndefined();
    expect(words?.detail).toContain("Update the plugin");
  });

  test("nothing found in one mode offers both", () => {
    for (const mode of ["keyword", "semantic"] as const) {
      expect(panelWords({ kind: "no-results", answer: answer({ mode }), isIndexing: false })?.actions[0]?.id).toBe("search-both");
    }
  });

  test("nothing found names what was looked for, filters and all", () => {
    const conditions: Message[] = [
      { code: "understood.folder", args: { folder: "Attic" } },
      { code: "understood.with", args: { what: { code: "understood.tag", args: { tag: "howto" } } } },
      { code: "understood.by-both", args: { words: "glue" } },
    ];
    const nothing = answer({ query: "glue tag:howto folder:Attic", understood: { code: "understood.notes", args: { conditions } } });

    expect(panelWords({ kind: "no-results", answer: nothing, isIndexing: false })?.detail).toMatch(/^Searched for notes in Attic, with the tag #howto, about glue\. [A-Z]/);
  });

  test("an error without a position can only be cleared", () => {
    expect(panelWords(STATES["bad-query"])?.actions[0]?.id).toBe("go-to-error");
    expect(panelWords({ ...STATES["bad-query"], position: null })?.actions[0]?.id).toBe("clear-query");
  });

  test("what the sidecar says becomes whole sentences", () => {
    expect(panelWords(STATES["bad-query"])?.detail).toBe("No closing quote. Close it.");
  });
});

test("screen readers hear what settled", () => {
  expect(announcement(STATES.results)).toBe("1 note found.");
  expect(announcement(STATES["no-results"])).toContain("No results for retry");
  expect(announcement(STATES.searching)).toBe("");
});

const MODEL = emptyModel("hybrid", { kind: "live", version: "0.1.0", isOurs: true }, indexStatus());

test("the line above the rows says what they are related to", () => {
  expect(relatedToWords("Glue", false)).toBe("Related to Glue");
  expect(relatedToWords("Glue", true)).toBe("Related to the selection in Glue");
});

test("without a note, without rows and after an error the view says why it is empty", () => {
  expect(relatedPanel(MODEL)?.title).toBe("No note is open");
  expect(relatedPanel({ ...MODEL, search: { kind: "results", answer: answer(), isRefresh: false } })?.title).toBe("No related notes");
  expect(relatedPanel({ ...MODEL, search: { kind: "failed", query: "a.md", failure: { kind: "timed-out", afterMs: 1 }, previous: null } })?.title).toBe("Related notes could not be loaded");
  expect(relatedPanel({ ...MODEL, engine: { kind: "starting" } })?.title).toBe("Starting the search engine");
});

test("with rows it says nothing", () => {
  expect(relatedPanel({ ...MODEL, search: { kind: "results", answer: answer({ hits: [hit("a.md")] }), isRefresh: false } })).toBeNull();
});

const FOUND = { ...MODEL, search: { kind: "results", answer: answer({ hits: [hit("a.md")], total: 7 }), isRefresh: false } } as const;

test("an error says which line it is and what can be written", () => {
  expect(blockErrorWords({ kind: "bad-limit", line: 2, value: "x", most: 100 })).toBe("Line 2: “limit” is a number from 1 to 100.");
  expect(blockErrorWords({ kind: "bad-value", line: 3, name: "show", value: "x", allowed: ["rows", "count"] })).toBe("Line 3: “show” must be one of these: rows, count.");
});

test("the count is of what is shown and there, or of all alone", () => {
  expect(blockCountWords(FOUND, "rows")).toBe("1 of 7 notes");
  expect(blockCountWords(FOUND, "count")).toBe("7 notes");
  expect(blockCountWords(MODEL, "rows")).toBe("");
});

test("a block says in one line that nothing was found, and nothing beside rows", () => {
  expect(blockPanel({ ...MODEL, search: { kind: "results", answer: answer(), isRefresh: false } })?.title).toBe("No notes match");
  expect(blockPanel(FOUND)).toBeNull();
  expect(blockPanel({ ...MODEL, engine: { kind: "starting" } })?.title).toBe("Starting the search engine");
});
