// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type PassagesResult } from "../../../../plugin/protocol/messages";
import { roomFor } from "../../../../plugin/snippet/excerpt";
import { FRESHNESS, hit, indexStatus, MISSING, passage, searchResult, settled } from "../../builders";
import { key, one, texts } from "../dom";
import { TestPane } from "../test-pane";

describe("search view", () => {
  let pane: TestPane;

  beforeEach(async () => {
    pane = new TestPane();
    await pane.open();
  });

  afterEach(() => pane.close());

  describe("typing", () => {
    test("shows rows, their count and the first selected", async () => {
      await pane.type("retry");
      await pane.answer("a.md", "b.md");

      expect(pane.titles()).toEqual(["a", "b"]);
      expect(pane.selected()).toEqual(["a"]);
      expect(one(pane.view.contentEl, ".quarry-count").textContent).toBe("2 notes");
      expect(pane.panel().hasClass("is-hidden")).toBe(true);
    });

    test("keeps the old rows, marked as old, until the new are there", async () => {
      await pane.type("retry");
      await pane.answer("a.md");
      await pane.type("retry backoff");
      await pane.clock.advance(100);
      const list = one(pane.view.contentEl, ".quarry-list");

      expect(pane.titles()).toEqual(["a"]);
      expect(list.hasClass("is-stale")).toBe(true);
      await pane.answer("b.md");
      expect(pane.titles()).toEqual(["b"]);
      expect(list.hasClass("is-stale")).toBe(false);
    });

    test("spelling of an input method is not searched for before it is a word", async () => {
      pane.input().dispatchEvent(new Event("compositionstart"));
      await pane.type("ni");
      pane.input().dispatchEvent(new Event("compositionend"));
      pane.input().value = "你";
      pane.input().dispatchEvent(new Event("compositionend"));

      expect(pane.client.asked.map(({ params }) => (params as { query: string }).query)).not.toContain("n");
      expect(pane.client.asked[0]?.params).toMatchObject({ query: "ni" });
    });

    test("screen readers hear how many there are, and can follow the selection", async () => {
      await pane.type("retry");
      await pane.answer("a.md", "b.md");
      key(pane.input(), "ArrowDown");

      expect(one(pane.view.contentEl, '[aria-live="polite"]').textContent).toBe("2 notes found.");
      const active = one(document, `#${pane.input().getAttribute("aria-activedescendant") ?? "none"}`);
      expect(active.getAttribute("role")).toBe("option");
      expect(active.textContent).toContain("b");
      expect(pane.input().getAttribute("aria-expanded")).toBe("true");
      expect(one(document, `#${pane.input().getAttribute("aria-controls") ?? "none"}`).getAttribute("role")).toBe("listbox");
    });
  });

  test("undo brings back a query that was cleared in one step", async () => {
    await pane.type("retry");
    await pane.answer("a.md");
    await pane.type("");
    const undo = new KeyboardEvent("keydown", { key: "z", ctrlKey: true, cancelable: true, bubbles: true });
    pane.input().dispatchEvent(undo);

    expect(pane.input().value).toBe("retry");
    expect(undo.defaultPrevented).toBe(true);
  });

  test("after an arrow key Space peeks at the passage; further words take the space back", async () => {
    const space = (): boolean => key(pane.input(), " ").defaultPrevented;
    const peeked = (): string[] => texts(document.body, ".quarry-peek-name");
    await pane.type("retry");
    await pane.answer("a.md", "b.md");
    expect(space()).toBe(false);

    key(pane.input(), "ArrowDown");
    expect(space()).toBe(true);
    expect(peeked()).toEqual(["b"]);
    key(pane.input(), "ArrowUp");
    await pane.clock.advance(100);
    expect(peeked()).toEqual(["a"]);
    key(pane.input(), "Escape");
    expect([peeked(), pane.returned]).toEqual([[], 0]);

    space();
    pane.input().dispatchEvent(new InputEvent("beforeinput", { inputType: "insertText", data: "x" }));
    expect(pane.input().value).toBe("retry ");
    await pane.type("retry x");
    expect([peeked(), space()]).toEqual([[], false]);
  });

  describe("the selection", () => {
    test("moves with the arrows while the focus stays in the box", async () => {
      await pane.type("retry");
      await pane.answer("a.md", "b.md", "c.md");
      pane.input().focus();
      key(pane.input(), "ArrowDown");
      key(pane.input(), "ArrowDown");
      key(pane.input(), "ArrowUp");

      expect(pane.selected()).toEqual(["b"]);
      expect(document.activeElement).toBe(pane.input());
    });

    const refreshed = async (...paths: readonly string[]): Promise<void> => {
      pane.indexUpdated.emit();
      await pane.clock.advance(1_000);
      await pane.answer(...paths);
    };

    test("stays on its note through a refresh while the pointer is in the list", async () => {
      await pane.type("retry");
      await pane.answer("a.md", "b.md");
      const move = new MouseEvent("mousemove", { bubbles: true });
      Object.defineProperty(move, "movementX", { value: 3 });
      one(pane.view.contentEl, ".quarry-title").dispatchEvent(move);
      await refreshed("new.md", "a.md", "b.md");

      expect(pane.selected()).toEqual(["a"]);
    });
  });

  describe("further passages", () => {
    const more = (): HTMLElement => one(pane.view.contentEl, ".quarry-unfold");
    const line = (): HTMLElement => one(pane.view.contentEl, ".quarry-more");
    const snippets = (): string[] => texts(pane.view.contentEl, ".quarry-others .quarry-snippet");
    const asked = (): unknown[] => pane.client.asked.filter(({ method }) => method === "search/passages").map(({ params }) => params);
    const result = (...found: readonly string[]): PassagesResult => ({
      passages: found.map((snippet, index) => passage({ snippet, start: 50 * (index + 1) })),
      truncated: false,
      index: FRESHNESS,
    });

    beforeEach(async () => {
      await pane.type("retry");
      pane.client.last.answer(searchResult(hit("a.md", { furtherPassages: 1 }), hit("b.md")));
      await settled();
    });

    test("are asked for once, as the search was, and shown when they arrive", async () => {
      more().click();
      pane.client.last.answer(result("the second"));
      await settled();

      expect(asked()).toEqual([{ query: "retry", mode: "hybrid", limit: 13, expandSmallResults: false, snippetWidth: roomFor(0, "normal").asked, typing: true, paused: false, path: "a.md" }]);
      expect(snippets()).toEqual(["the second"]);
      expect(one(pane.view.contentEl, '[aria-live="polite"]').textContent).toBe("1 more passage in a");
    });

    test("are shown as loading only when they are slow", async () => {
      more().click();
      await pane.clock.advance(149);
      const soon = line().hasClass("is-hidden");
      await pane.clock.advance(1);
      const late = line().textContent;
      pane.client.last.answer(result("the second"));
      await settled();

      expect([soon, late, line().textContent]).toEqual([true, "Loading 1 more passage…", "Show less"]);
    });

    test("that could not be loaded can be asked for again", async () => {
      more().click();
      pane.client.last.fail({ kind: "timed-out", afterMs: 10_000 });
      await settled();
      const failed = line().textContent;
      line().click();
      pane.client.last.answer(result("the second"));
      await settled();

      expect(failed).toMatch(/^More passages could not be loaded\. No answer within 10 seconds\..*Try again$/);
      expect(line().textContent).toBe("Show less");
      expect(snippets()).toEqual(["the second"]);
    });

    test("that are on their way are cancelled by the next query, and its rows are folded", async () => {
      more().click();
      const request = pane.client.last;
      await pane.type("retry backoff");
      pane.client.last.answer(searchResult(hit("a.md", { furtherPassages: 1 })));
      await settled();

      expect(request.isCancelled).toBe(true);
      expect(line().hasClass("is-hidden")).toBe(true);
      expect(asked()).toHaveLength(1);
    });

    test("stay through a refresh until the new ones arrive", async () => {
      more().click();
      pane.client.last.answer(result("before"));
      await settled();
      key(pane.input(), "ArrowDown");
      pane.indexUpdated.emit();
      await pane.clock.advance(1_000);
      pane.client.last.answer(searchResult(hit("a.md", { furtherPassages: 1 }), hit("b.md")));
      await settled();
      const meanwhile = snippets();
      pane.client.last.answer(result("after"));
      await settled();

      expect(meanwhile).toEqual(["before"]);
      expect(snippets()).toEqual(["after"]);
      expect(texts(pane.view.contentEl, '[aria-selected="true"] .quarry-snippet')).toEqual(["after"]);
    });
  });

  describe("keys", () => {
    test("escape goes back to the note and leaves the query and its rows", async () => {
      await pane.type("retry");
      await pane.answer("a.md");
      key(pane.input(), "Escape");

      expect(pane.returned).toBe(1);
      expect(pane.input().value).toBe("retry");
      expect(pane.titles()).toEqual(["a"]);
    });

    test("right and left belong to the rows only behind the last letter", async () => {
      await pane.type("retry");
      pane.client.last.answer(searchResult(hit("a.md", { furtherPassages: 1 })));
      await settled();
      pane.input().setSelectionRange(2, 2);
      const within = key(pane.input(), "ArrowRight").defaultPrevented;
      pane.input().setSelectionRange(5, 5);

      expect([within, key(pane.input(), "ArrowRight").defaultPrevented]).toEqual([false, true]);
    });

    test("Mod and the arrows walk through the history, and back to what was typed", async () => {
      pane.history = ["newest", "older"];
      await pane.type("typed");
      const walked = ["ArrowUp", "ArrowUp", "ArrowUp", "ArrowDown", "ArrowDown"].map((name) => {
        key(pane.input(), name, { ctrlKey: true });
        return pane.input().value;
      });

      expect(walked).toEqual(["newest", "older", "older", "newest", "typed"]);
    });

    test("commands save the query and take it out again, choose the mode, and go through the rows", async () => {
      pane.view.perform({ kind: "save" });
      await pane.type("retry ");
      pane.view.perform({ kind: "save" });
      const saved = pane.saved;
      pane.view.perform({ kind: "save" });
      pane.view.perform({ kind: "mode", mode: "keyword" });

      expect([saved, pane.saved, pane.mode]).toEqual([["retry"], [], "keyword"]);
    });
  });

  describe("states", () => {
    test("a lost engine leaves the rows, marked as old, and offers a restart", async () => {
      await pane.type("retry");
      await pane.answer("a.md");
      pane.engine.setState({ kind: "disconnected" });
      await pane.clock.advance(200);
      pane.press("restart");

      expect(pane.titles()).toEqual(["a"]);
      expect(one(pane.view.contentEl, ".quarry-list").hasClass("is-stale")).toBe(true);
      expect(pane.acted).toEqual(["restart"]);
    });

    test("a query that cannot be read keeps the rows and leads to the error", async () => {
      await pane.type("retry");
      await pane.answer("a.md");
      await pane.type('  retry "x');
      pane.client.last.fail({ kind: "bad-query", message: "no closing quote", next: "", position: 6 });
      await settled();
      const line = one(pane.view.contentEl, ".quarry-line");
      one(line, '[data-action="go-to-error"]').click();

      expect(pane.titles()).toEqual(["a"]);
      expect(pane.panel().hasClass("is-hidden")).toBe(true);
      expect(line.textContent).toContain("No closing quote.");
      expect(pane.input().value.slice(pane.input().selectionStart ?? 0, pane.input().selectionEnd ?? 0)).toBe('"');
    });

    test("nothing found by words can be searched for by meaning", async () => {
      pane.preferences = { ...pane.preferences, mode: "keyword" };
      one(pane.view.contentEl, '[data-mode="keyword"]').click();
      await pane.type("retry");
      await pane.answer();
      pane.press("search-both");
      await pane.clock.advance(100);

      expect(pane.client.last.params).toMatchObject({ query: "retry", mode: "hybrid" });
      expect(one(pane.view.contentEl, '[aria-pressed="true"]').dataset["mode"]).toBe("hybrid");
    });

    test("a missing retriever is shown above the rows, with its reason", async () => {
      await pane.type("retry");
      pane.client.last.answer({ ...searchResult(hit("a.md")), missing: [{ retriever: "dense", reason: { code: "status.model-loading", args: {} } }] });
      await settled();

      expect(one(pane.view.contentEl, ".quarry-line").textContent).toBe("Meaning search is off. The embedding model is still loading. Search by meaning starts in a moment.");
      expect(pane.titles()).toEqual(["a"]);
    });

    test("indexing is counted in the footer, and can be paused there", () => {
      pane.engine.status = indexStatus({
        state: "indexing",
        progress: { doneNotes: 10, totalNotes: 20, doneChunks: 30, notesPerSecond: 5, remainingMs: 2_000 },
      });
      pane.engine.statusChanged.emit(pane.engine.status);
      one(pane.view.contentEl, ".quarry-status-action").click();

      expect(one(pane.view.contentEl, ".quarry-status-text").textContent).toBe("Indexing 10 of 20 notes · 2 s left");
      expect(pane.acted).toEqual(["pause"]);
    });

    test("rows found by names have a line that leads to the way out, and back", async () => {
      pane.engine.setState(MISSING);
      await pane.type("retry");
      pane.client.last.answer({ ...searchResult(hit("a.md")), ignored: ["created:7d"] });
      await settled();
      const line = one(pane.view.contentEl, ".quarry-line");
      const before = pane.panel().classList.contains("is-hidden");
      one(line, "[data-action=engine-help]").click();

      expect(line.textContent).toBe("Titles, headings and tags only, without created:7d Install");
      expect([before, pane.panel().classList.contains("is-hidden")]).toEqual([true, false]);
      expect(pane.titles()).toEqual(["a"]);

      one(pane.panel(), "li button").click();
      one(line, "[data-action=engine-help]").click();
      expect(pane.copied).toHaveLength(1);
      expect(pane.panel().classList.contains("is-hidden")).toBe(true);
    });

    test("an engine that comes replaces rows found by names, and the chosen note stays chosen", async () => {
      pane.engine.setState(MISSING);
      await pane.type("retry");
      pane.client.last.answer({ ...searchResult(hit("a.md"), hit("b.md")), ignored: [] });
      await settled();
      key(pane.input(), "ArrowDown");
      pane.engine.setState({ kind: "live", version: "0.1.0", isOurs: true });
      await pane.clock.advance(300);
      await pane.answer("c.md", "b.md", "a.md");

      expect(pane.titles()).toEqual(["c", "b", "a"]);
      expect(pane.selected()).toEqual(["b"]);
    });

    test("progress does not replace a button under the finger", () => {
      pane.engine.setState(MISSING);
      const button = one(pane.panel(), "button");
      pane.engine.statusChanged.emit(null);

      expect(one(pane.panel(), "button")).toBe(button);
    });
  });

  describe("an empty box", () => {
    beforeEach(async () => {
      pane.history = ["backoff", "gateway"];
      await pane.type("x");
      await pane.type("");
    });

    test("offers recent searches", async () => {
      key(pane.input(), "ArrowDown");
      key(pane.input(), "Enter");
      await pane.clock.advance(100);

      expect(texts(pane.view.contentEl, ".quarry-recent")).toEqual([]);
      expect(pane.client.last.params).toMatchObject({ query: "gateway" });
    });

    test("shows what can be typed, when asked", () => {
      one(pane.view.contentEl, '.quarry-tool[data-action="add-filter"]').click();

      expect(one(pane.view.contentEl, ".quarry-completions").hasClass("is-hidden")).toBe(false);
      expect(texts(pane.view.contentEl, ".quarry-completion-label")).toContain("modified:");
    });

    test("forgets them when asked", () => {
      one(pane.view.contentEl, '.quarry-divider [data-action="clear-history"]').click();

      expect(texts(pane.view.contentEl, ".quarry-recent")).toEqual([]);
      expect(pane.history).toEqual([]);
    });
  });

  describe("what is remembered", () => {
    test("is a query that found something and was looked at for a while", async () => {
      await pane.type("retry");
      await pane.answer("a.md");
      await pane.clock.advance(1_900);
      const early = [...pane.history];
      await pane.clock.advance(200);

      expect([early, pane.history]).toEqual([[], ["retry"]]);
    });

    test("is no query that was typed on, or found nothing", async () => {
      await pane.type("retr");
      await pane.answer("a.md");
      await pane.clock.advance(1_000);
      await pane.type("retry");
      await pane.answer();
      await pane.clock.advance(5_000);

      expect(pane.history).toEqual([]);
    });
  });

  describe("more rows", () => {
    const found = (count: number): string[] => Array.from({ length: count }, (_, at) => `${at}.md`);

    test("below an answer are held back, until they are wanted", async () => {
      const extract = { path: "0.md", text: "Six minutes.", headingPath: [], line: 0, matchStart: 0, matchEnd: 12, anchor: null, confidence: 0.9 };
      await pane.type("how long to boil eggs");
      pane.client.last.answer({ ...searchResult(...found(9).map((path) => hit(path))), extract });
      await settled();
      const first = pane.titles().length;
      one(pane.view.contentEl, ".quarry-show-more").click();

      expect([first, pane.titles().length]).toEqual([5, 9]);
    });
  });

  test("no key moves the list: what is said of a query stands in a line of its own", async () => {
    const above = (): string[] => [...one(pane.view.contentEl, ".quarry-head").children].map(({ className }) => className);
    await pane.type("retry");
    await pane.answer("a.md");
    const before = above();
    await pane.type("refrences");
    pane.client.last.answer({ ...searchResult(hit("a.md")), corrections: [{ typed: "refrences", used: "references" }] });
    await settled();

    expect(above()).toEqual(before);
    expect(one(pane.view.contentEl, ".quarry-body").previousElementSibling).toBe(one(pane.view.contentEl, ".quarry-head"));
  });

  test("the query survives in the layout", async () => {
    await pane.type("retry");
    const state = pane.view.getState();
    await pane.type("");
    await pane.view.setState(state, { history: false });

    expect(pane.input().value).toBe("retry");
  });

  test("the list is scrolled to where it was once the stored query is answered, and the next query begins at the top", async () => {
    const body = one(pane.view.contentEl, ".quarry-body");
    await pane.view.setState({ query: "retry", scroll: 120 }, { history: false });
    await pane.answer("a.md", "b.md");
    const restored = body.scrollTop;
    await pane.type("other");
    await pane.answer("c.md");

    expect([restored, body.scrollTop]).toEqual([120, 0]);
  });

  test.each([null, "x", [], { query: 5, scroll: "9" }, { scroll: Infinity }])("a stored %j asks nothing", async (stored) => {
    await pane.view.setState(stored, { history: false });

    expect([pane.input().value, pane.client.asked]).toEqual(["", []]);
  });

  test("a closed pane stops its search", async () => {
    await pane.type("retry");
    await pane.close();

    expect(pane.client.last.isCancelled).toBe(true);
  });
});
