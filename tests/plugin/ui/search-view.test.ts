// @vitest-environment jsdom
import { emptyBody, key, one, texts } from "./dom";
import { App, type WorkspaceLeaf } from "obsidian";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type IndexStatus, type Mode } from "../../../plugin/protocol/messages";
import { SearchSession } from "../../../plugin/search/session";
import { type EngineState } from "../../../plugin/sidecar/supervisor";
import { Signal } from "../../../plugin/signal";
import { type PaneParts, SearchView } from "../../../plugin/ui/search-view";
import { type ActionId } from "../../../plugin/ui/wording";
import { FakeClient, type ManualClock, hit, indexStatus, manualClock, passage, searchResult, settled } from "../builders";

/** An engine whose state the test sets. */
class FakeEngineWatch {
  readonly changed = new Signal<EngineState>();
  readonly statusChanged = new Signal<IndexStatus | null>();
  state: EngineState = { kind: "live", version: "0.1.0", isOurs: true };
  status: IndexStatus | null = indexStatus();

  become(state: EngineState): void {
    this.state = state;
    this.status = state.kind === "live" ? indexStatus() : null;
    this.changed.emit(state);
  }
}

let client: FakeClient;
let clock: ManualClock;
let engine: FakeEngineWatch;
let indexUpdated: Signal<void>;
let history: string[];
let acted: ActionId[];
let copied: string[];
let view: SearchView;
let mode: Mode;

beforeEach(async () => {
  client = new FakeClient();
  clock = manualClock();
  await clock.advance(1_000);
  engine = new FakeEngineWatch();
  indexUpdated = new Signal();
  history = [];
  acted = [];
  copied = [];
  mode = "hybrid";
  const searchOptionsChanged = new Signal<void>();
  const parts: PaneParts = {
    createSession: () => new SearchSession(client, clock, { mode, limit: 30 }),
    engine,
    indexUpdated,
    searchOptions: () => ({ mode, limit: 30 }),
    searchOptionsChanged,
    saveMode: (chosen) => {
      mode = chosen;
      searchOptionsChanged.emit();
    },
    history: {
      all: () => history,
      add: (query) => {
        history = [query, ...history];
      },
      clear: () => {
        history = [];
      },
    },
    copy: (text) => copied.push(text),
    act: (action) => acted.push(action),
  };
  view = new SearchView({ app: new (App as unknown as new () => App)() } as unknown as WorkspaceLeaf, parts);
  emptyBody().append(view.contentEl);
  await (view as unknown as { onOpen(): Promise<void> }).onOpen();
});

afterEach(async () => {
  await (view as unknown as { onClose(): Promise<void> }).onClose();
});

const input = (): HTMLInputElement => one(view.contentEl, "input") as HTMLInputElement;
const titles = (): string[] => texts(view.contentEl, ".quarry-title");
const selected = (): string[] => texts(view.contentEl, '[aria-selected="true"] .quarry-title');
const panel = (): HTMLElement => one(view.contentEl, ".quarry-panel");
const press = (action: string): void => {
  one(panel(), `[data-action="${action}"]`).click();
};

async function type(query: string): Promise<void> {
  input().value = query;
  input().dispatchEvent(new Event("input", { bubbles: true }));
  await clock.advance(100);
}

async function answer(...paths: readonly string[]): Promise<void> {
  client.last.answer(searchResult(...paths.map((path) => hit(path))));
  await settled();
}

describe("typing", () => {
  test("shows rows, their count and the first selected", async () => {
    await type("retry");
    await answer("a.md", "b.md");

    expect(titles()).toEqual(["a", "b"]);
    expect(selected()).toEqual(["a"]);
    expect(one(view.contentEl, ".quarry-count").textContent).toMatch(/^2 notes · \d+ ms$/);
    expect(panel().hasClass("is-hidden")).toBe(true);
  });

  test("keeps the old rows, marked as old, until the new are there", async () => {
    await type("retry");
    await answer("a.md");
    await type("retry backoff");
    const list = one(view.contentEl, ".quarry-list");

    expect(titles()).toEqual(["a"]);
    expect(list.hasClass("is-stale")).toBe(true);
    await answer("b.md");
    expect(titles()).toEqual(["b"]);
    expect(list.hasClass("is-stale")).toBe(false);
  });

  test("spelling of an input method is not searched for before it is a word", async () => {
    input().dispatchEvent(new Event("compositionstart"));
    await type("ni");
    input().dispatchEvent(new Event("compositionend"));
    input().value = "你";
    input().dispatchEvent(new Event("compositionend"));

    expect(client.asked.map(({ params }) => (params as { query: string }).query)).not.toContain("n");
    expect(client.asked[0]?.params).toMatchObject({ query: "ni" });
  });

  test("screen readers hear how many there are, and can follow the selection", async () => {
    await type("retry");
    await answer("a.md", "b.md");
    key(input(), "ArrowDown");

    expect(one(view.contentEl, '[aria-live="polite"]').textContent).toBe("2 notes found");
    const active = one(document, `#${input().getAttribute("aria-activedescendant") ?? "none"}`);
    expect(active.getAttribute("role")).toBe("option");
    expect(active.textContent).toContain("b");
    expect(one(document, `#${input().getAttribute("aria-controls") ?? "none"}`).getAttribute("role")).toBe("listbox");
  });
});

describe("the selection", () => {
  test("moves with the arrows while the focus stays in the box", async () => {
    await type("retry");
    await answer("a.md", "b.md", "c.md");
    input().focus();
    key(input(), "ArrowDown");
    key(input(), "ArrowDown");
    key(input(), "ArrowUp");

    expect(selected()).toEqual(["b"]);
    expect(document.activeElement).toBe(input());
  });

  test("goes to the best hit of a new query, wherever the chosen note is now", async () => {
    await type("retry");
    await answer("a.md", "b.md");
    key(input(), "ArrowDown");
    await type("retry b");
    await answer("x.md", "a.md", "y.md", "b.md");

    expect(selected()).toEqual(["x"]);
  });

  test("stays on its note through a refresh", async () => {
    await type("retry");
    await answer("a.md");
    indexUpdated.emit();
    await clock.advance(1_000);
    await answer("new.md", "a.md");

    expect(titles()).toEqual(["new", "a"]);
    expect(selected()).toEqual(["a"]);
  });

  test("goes into the passages of a note that is opened up", async () => {
    await type("retry");
    client.last.answer(searchResult(hit("a.md", { passages: [passage(), passage({ start: 50, snippet: "the second" })] })));
    await settled();
    key(input(), "ArrowDown", { altKey: true });
    key(input(), "ArrowDown");
    const open = texts(view.contentEl, '[aria-selected="true"] .quarry-snippet');
    key(input(), "ArrowUp", { altKey: true });

    expect(open).toEqual(["the second"]);
    expect(selected()).toEqual(["a"]);
  });
});

describe("keys", () => {
  test("escape empties the box", async () => {
    await type("retry");
    await answer("a.md");
    key(input(), "Escape");

    expect(input().value).toBe("");
    expect(titles()).toEqual([]);
  });

  test("left, right and letters stay with the text", () => {
    const events = ["ArrowLeft", "ArrowRight", "Home", "a"].map((name) => key(input(), name));

    expect(events.some(({ defaultPrevented }) => defaultPrevented)).toBe(false);
  });

  test("an enter that ends a composition opens nothing", async () => {
    await type("retry");
    await answer("a.md");
    const event = key(input(), "Enter", { isComposing: true });

    expect(event.defaultPrevented).toBe(false);
    expect(history).toEqual([]);
  });
});

describe("states", () => {
  test("an engine that is not installed shows the command, and copies it", () => {
    engine.become({ kind: "missing", tried: [] });
    press("copy-command");
    press("check-again");

    expect(texts(panel(), "code")).toEqual(["uv tool install quarry-search", "pipx install quarry-search"]);
    expect(copied).toEqual(["uv tool install quarry-search"]);
    expect(acted).toEqual(["check-again"]);
  });

  test("a lost engine leaves the rows, marked as old, and offers a restart", async () => {
    await type("retry");
    await answer("a.md");
    engine.become({ kind: "disconnected" });
    press("restart");

    expect(titles()).toEqual(["a"]);
    expect(one(view.contentEl, ".quarry-list").hasClass("is-stale")).toBe(true);
    expect(acted).toEqual(["restart"]);
  });

  test("the open query is asked again when the engine is back", async () => {
    await type("retry");
    await answer("a.md");
    engine.become({ kind: "disconnected" });
    engine.become({ kind: "live", version: "0.1.0", isOurs: true });
    await clock.advance(1_000);
    await answer("a.md", "b.md");

    expect(titles()).toEqual(["a", "b"]);
  });

  test("a query that cannot be read keeps the rows and leads to the error", async () => {
    await type("retry");
    await answer("a.md");
    await type('  retry "x');
    client.last.fail({ kind: "bad-query", message: "no closing quote", next: "", position: 6 });
    await settled();
    press("go-to-error");

    expect(titles()).toEqual(["a"]);
    expect(panel().textContent).toContain("No closing quote.");
    expect(input().value.slice(input().selectionStart ?? 0, input().selectionEnd ?? 0)).toBe('"');
  });

  test("nothing found by words can be searched for by meaning", async () => {
    mode = "keyword";
    one(view.contentEl, '[data-mode="keyword"]').click();
    await type("retry");
    await answer();
    press("search-both");
    await clock.advance(100);

    expect(client.last.params).toMatchObject({ query: "retry", mode: "hybrid" });
    expect(one(view.contentEl, '[aria-pressed="true"]').dataset["mode"]).toBe("hybrid");
  });

  test("keyword only is said above the rows, with its reason", async () => {
    await type("retry");
    client.last.answer({ ...searchResult(hit("a.md")), missing: [{ leg: "dense", reason: "The model is missing." }] });
    await settled();

    expect(one(view.contentEl, ".quarry-handicap").textContent).toBe("Meaning search is off. The model is missing.");
    expect(titles()).toEqual(["a"]);
  });

  test("indexing is counted in the footer, and can be paused there", () => {
    engine.status = indexStatus({
      state: "indexing",
      progress: { doneNotes: 10, totalNotes: 20, doneChunks: 30, notesPerSecond: 5, remainingMs: 2_000 },
    });
    engine.statusChanged.emit(engine.status);
    one(view.contentEl, ".quarry-status-action").click();

    expect(one(view.contentEl, ".quarry-status-text").textContent).toBe("Indexing 10 of 20 notes · 2 s left");
    expect(acted).toEqual(["pause"]);
  });

  test("progress does not replace a button under the finger", () => {
    engine.become({ kind: "missing", tried: [] });
    const button = one(panel(), "button");
    engine.statusChanged.emit(null);

    expect(one(panel(), "button")).toBe(button);
  });
});

describe("an empty box", () => {
  beforeEach(() => {
    history = ["backoff", "gateway"];
    engine.statusChanged.emit(engine.status);
  });

  test("offers recent searches", async () => {
    key(input(), "ArrowDown");
    key(input(), "Enter");
    await clock.advance(100);

    expect(texts(view.contentEl, ".quarry-recent")).toEqual([]);
    expect(client.last.params).toMatchObject({ query: "gateway" });
  });

  test("forgets them when asked", () => {
    press("clear-history");

    expect(texts(view.contentEl, ".quarry-recent")).toEqual([]);
    expect(history).toEqual([]);
  });
});

test("the query survives in the layout", async () => {
  await type("retry");
  const state = view.getState();
  await type("");
  await view.setState(state, { history: false });

  expect(input().value).toBe("retry");
});

test("a closed pane stops its search", async () => {
  await type("retry");
  await (view as unknown as { onClose(): Promise<void> }).onClose();

  expect(client.last.isCancelled).toBe(true);
});
