import { describe, expect, test } from "vitest";
import { type Message } from "../../../plugin/protocol/messages";
import { type PaneState } from "../../../plugin/pane/state";
import { announcement, panelWords } from "../../../plugin/i18n/panels";
import { installWords, updateWords } from "../../../plugin/i18n/engine";
import { MISSING, answer, hit } from "../builders";

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
  results: { kind: "results", answer: answer({ hits: [hit("a.md")] }) },
  "no-results": { kind: "no-results", answer: answer(), isIndexing: false },
  "bad-query": { kind: "bad-query", message: "no closing quote", next: "close it", position: 3 },
  "search-failed": { kind: "search-failed", failure: { kind: "timed-out", afterMs: 10_000 } },
};
const SPEAKS_THROUGH_ROWS: readonly PaneState["kind"][] = ["results", "searching"];

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
    expect(SPEAKS_THROUGH_ROWS.map((kind) => panelWords(STATES[kind]))).toEqual([null, null]);
  });

  test("the commands to install and to update can be copied as they are", () => {
    expect(panelWords(STATES.missing)?.commands).toEqual(installWords(MISSING).commands);
    expect(panelWords(STATES.outdated)?.commands).toEqual(updateWords().commands);
    expect(panelWords(STATES.missing)?.actions.map(({ id }) => id).slice(0, 2)).toEqual(["copy-command", "check-again"]);
  });

  test("the question names the program, and an answer of no is not asked about again", () => {
    expect(panelWords(STATES.unapproved)).toMatchObject({ commands: ["/bin/quarry"], hasWayOut: true });
    expect(panelWords(STATES.unapproved)?.actions.map(({ label }) => label)).toEqual(["Start", "Not now", "Open settings"]);
    expect(panelWords({ ...STATES.unapproved, isDeclined: true })?.actions.map(({ label }) => label)).toEqual(["Start", "Open settings"]);
  });

  test("an engine newer than the plugin asks for the plugin's update", () => {
    const words = panelWords({ ...STATES.outdated, version: "9.0.0", protocol: 9 });

    expect(words?.commands).toEqual([]);
    expect(words?.detail).toContain("Update the plugin");
  });

  test("nothing found in one mode offers both", () => {
    for (const mode of ["keyword", "semantic"] as const) {
      expect(panelWords({ kind: "no-results", answer: answer({ mode }), isIndexing: false })?.actions[0]?.id).toBe("search-both");
    }
  });

  test("nothing found names what was looked for, filters and all", () => {
    const understoodTold = [
      { code: "query-folder", args: { negated: 0, folder: "Attic" } },
      { code: "query-tag", args: { negated: 0, tag: "howto" } },
      { code: "query-words", args: { words: "glue", by: "both" } },
    ] satisfies readonly Message[];
    const nothing = answer({ query: "glue tag:howto folder:Attic", understoodTold });

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

test("screen readers hear what was corrected and what was given up", () => {
  const corrected = answer({ hits: [hit("a.md")], corrections: [{ typed: "refrences", used: "references" }] });
  const relaxed = answer({ hits: [hit("a.md")], relaxed: { step: "meaning", message: "No note has these words; these come near.", told: { code: "relaxed-nothing", args: { among: "all" } } } });

  expect(announcement({ kind: "results", answer: corrected })).toBe("1 note found. Showing results for “references”. No notes contain “refrences”.");
  expect(announcement({ kind: "results", answer: relaxed })).toBe("1 note found. No notes match. These are the nearest in meaning.");
});

