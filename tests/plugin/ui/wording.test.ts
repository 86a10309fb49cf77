import { describe, expect, test } from "vitest";
import { type StartFailure } from "../../../plugin/sidecar/failure";
import { type Freshness, type PaneState } from "../../../plugin/ui/pane-state";
import { OPERATORS } from "../../../plugin/ui/operators";
import {
  TEXT,
  ageWords,
  announcement,
  failureWords,
  freshnessWords,
  degradationWords,
  furtherPassagesWords,
  panelWords,
  passagesAnnouncement,
  startFailureWords,
} from "../../../plugin/ui/wording";
import { answer, hit, passage } from "../builders";

/** One of each: a new kind will not compile until it stands here. */
const STATES: { readonly [K in PaneState["kind"]]: Extract<PaneState, { kind: K }> } = {
  missing: { kind: "missing", tried: ["/bin/quarry"] },
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

describe("every state of the pane", () => {
  test.each(Object.values(STATES).filter(({ kind }) => !SPEAKS_THROUGH_ROWS.includes(kind)))("$kind has words and a way out", (state) => {
    const words = panelWords(state);

    expect(words?.title).toMatch(/^[A-Z].{8,}[^.]$/);
    expect(words?.detail).toMatch(/^[A-Z"].*\.$/);
    expect(words?.actions[0].label).toMatch(/^[A-Z]/);
  });

  test("rows need no panel", () => {
    expect(SPEAKS_THROUGH_ROWS.map((kind) => panelWords(STATES[kind]))).toEqual([null, null]);
  });

  test("the commands to install and to update can be copied as they are", () => {
    expect(panelWords(STATES.missing)?.commands).toEqual(["uv tool install quarry-search", "pipx install quarry-search"]);
    expect(panelWords(STATES.outdated)?.commands).toEqual(["uv tool upgrade quarry-search", "pipx upgrade quarry-search"]);
    expect(panelWords(STATES.missing)?.actions.map(({ id }) => id).slice(0, 2)).toEqual(["copy-command", "check-again"]);
  });

  test("an engine newer than the plugin asks for the plugin's update", () => {
    const words = panelWords({ ...STATES.outdated, version: "9.0.0", protocol: 9 });

    expect(words?.commands).toEqual([]);
    expect(words?.detail).toContain("Update the plugin");
  });

  test("nothing found in one mode offers both", () => {
    for (const mode of ["keyword", "semantic"] as const) {
      expect(panelWords({ kind: "no-results", answer: answer({ mode }), isIndexing: false })?.actions[0].id).toBe("search-both");
    }
  });

  test("nothing found names what was looked for, filters and all", () => {
    const nothing = answer({ query: "glue tag:howto folder:Attic", understood: "notes in Attic tagged #howto, near in meaning to glue" });

    expect(panelWords({ kind: "no-results", answer: nothing, isIndexing: false })?.detail).toMatch(/^Searched for notes in Attic tagged #howto, near in meaning to glue\. [A-Z]/);
  });

  test("an error without a position can only be cleared", () => {
    expect(panelWords(STATES["bad-query"])?.actions[0].id).toBe("go-to-error");
    expect(panelWords({ ...STATES["bad-query"], position: null })?.actions[0].id).toBe("clear-query");
  });

  test("what the sidecar says becomes whole sentences", () => {
    expect(panelWords(STATES["bad-query"])?.detail).toBe("No closing quote. Close it.");
  });
});

describe("the footer", () => {
  const LINES: { readonly [K in Freshness["kind"]]: readonly [Extract<Freshness, { kind: K }>, string, string | null] } = {
    off: [{ kind: "off" }, "Not running", "restart"],
    starting: [{ kind: "starting" }, "Starting", null],
    preparing: [{ kind: "preparing" }, "Checking for changes", null],
    trouble: [{ kind: "trouble", engine: "disconnected" }, "Reconnecting", null],
    indexing: [{ kind: "indexing", done: 4_210, total: 16_894, remainingMs: 25_000 }, "Indexing 4,210 of 16,894 notes · 25 s left", "pause"],
    updating: [{ kind: "updating", notes: 10, pending: 1 }, "Updating 1 note", null],
    paused: [{ kind: "paused", notes: 10, pending: 3 }, "Paused · 3 notes waiting", "resume"],
    "index-failed": [{ kind: "index-failed", message: "The disk is full." }, "The disk is full.", "open-settings"],
    deepening: [{ kind: "deepening", notes: 9, done: 1, total: 3, remainingMs: 90_000 }, "Live · 9 notes · deepened 33 % · 2 min left", null],
    live: [{ kind: "live", notes: 16_894, problems: 0 }, "Live · 16,894 notes", null],
  };

  test.each(Object.values(LINES))("%j reads %s", (state, text, action) => {
    const words = freshnessWords(state);

    expect([words.text, words.action?.id ?? null]).toEqual([text, action]);
  });

  test("problems can be looked at", () => {
    expect(freshnessWords({ kind: "live", notes: 2, problems: 1 })).toMatchObject({ text: "Live · 2 notes · 1 with problems", action: { id: "open-settings" } });
  });

  test("a long wait is shown in minutes", () => {
    expect(freshnessWords({ kind: "indexing", done: 1, total: 2, remainingMs: 150_000 }).text).toContain("3 min left");
  });
});

test.each<[StartFailure]>([
  [{ kind: "not-runnable", program: "/bin/quarry", message: "EACCES" }],
  [{ kind: "silent", afterMs: 10_000 }],
  [{ kind: "garbled", line: "Welcome." }],
  [{ kind: "exited", code: 1, signal: null }],
  [{ kind: "exited", code: null, signal: "SIGKILL" }],
  [{ kind: "vault-missing" }],
  [{ kind: "index-too-new" }],
  [{ kind: "unreachable" }],
])("%j has a sentence", (failure) => {
  expect(startFailureWords(failure)).toMatch(/\.$/);
});

test("a request that failed has a sentence", () => {
  expect(failureWords({ kind: "refused", reason: "busy", message: "the index is busy", next: "try again" })).toBe("The index is busy. Try again.");
  expect(failureWords({ kind: "timed-out", afterMs: 10_000 })).toContain("10 s");
});

test("what is missing is named in plain words", () => {
  expect(degradationWords({ leg: "dense", reason: "The model folder is empty." })).toBe("Meaning search is off. The model folder is empty.");
});

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

test("screen readers hear what settled", () => {
  expect(announcement(STATES.results)).toBe("1 note found");
  expect(announcement(STATES["no-results"])).toContain("No results for retry");
  expect(announcement(STATES.searching)).toBe("");
});

test("screen readers hear what was corrected and what was given up", () => {
  const corrected = answer({ hits: [hit("a.md")], corrections: [{ typed: "refrences", used: "references" }] });
  const relaxed = answer({ hits: [hit("a.md")], relaxed: { step: "meaning", message: "No note has these words; these come near." } });

  expect(announcement({ kind: "results", answer: corrected })).toBe("1 note found. No notes contain “refrences”. Showing results for “references”.");
  expect(announcement({ kind: "results", answer: relaxed })).toBe("1 note found. No note has these words; these come near.");
});

test("no sentence shouts, and none holds a path or an address", () => {
  const sentences = JSON.stringify([TEXT, OPERATORS]) + Object.values(STATES).map((state) => JSON.stringify(panelWords(state))).join("");

  expect(sentences).not.toMatch(/!|https?:/);
});
