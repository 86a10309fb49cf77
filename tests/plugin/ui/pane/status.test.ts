// @vitest-environment jsdom
import { Modal } from "obsidian";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type ActionId } from "../../../../plugin/pane/commands";
import { indexStatusLine, progressBlock } from "../../../../plugin/ui/pane/status";
import { explained, hit, searchResult, settled } from "../../builders";
import { emptyBody, key, one, texts } from "../dom";
import { TestPane } from "../test-pane";

describe("index status", () => {
  let el: HTMLElement;
  let acted: ActionId[];

  beforeEach(() => {
    el = emptyBody().createDiv();
    acted = [];
  });

  test("shows the state as text, as a colour, and for style sheets", () => {
    indexStatusLine(el)({ kind: "live", notes: 3, problems: 0, sentTo: null });

    expect(one(el, ".quarry-status-text").textContent).toBe("Live · 3 notes");
    expect(el.dataset).toMatchObject({ tone: "good", state: "live" });
    expect(one(el, ".quarry-dot").getAttribute("aria-hidden")).toBe("true");
  });

  test("offers the action that fits, and none when none does", () => {
    const show = indexStatusLine(el, (action) => acted.push(action));
    show({ kind: "indexing", done: 1, total: 2, remainingMs: null });
    const button = one(el, "button.quarry-status-action");
    button.click();
    show({ kind: "paused", notes: 1, pending: 0 });
    button.click();
    show({ kind: "live", notes: 2, problems: 0, sentTo: null });
    button.click();

    expect(acted).toEqual(["pause", "resume"]);
    expect(button.hasClass("is-hidden")).toBe(true);
  });

  test("a screen reader is told of a change of state, and not of every count", () => {
    const show = indexStatusLine(el, () => undefined);
    const said: (string | null)[] = [];
    for (const done of [1, 2]) {
      show({ kind: "indexing", done, total: 2, remainingMs: null });
      said.push(el.getAttribute("aria-live"));
    }
    show({ kind: "live", notes: 2, problems: 0, sentTo: null });

    expect([el.getAttribute("role"), ...said, el.getAttribute("aria-live")]).toEqual(["status", "polite", "off", "polite"]);
  });

  test("its text opens the inspector of the index, where there are actions", () => {
    indexStatusLine(el, (action) => acted.push(action))({ kind: "live", notes: 3, problems: 0, sentTo: null });
    one(el, "button.quarry-status-text").click();

    expect(acted).toEqual(["open-inspector"]);
  });

  test("has no button in the status bar", () => {
    indexStatusLine(el)({ kind: "paused", notes: 1, pending: 0 });

    expect(el.querySelector("button")).toBeNull();
  });
});

describe("status line", () => {
  let pane: TestPane;

  beforeEach(async () => {
    pane = new TestPane();
    await pane.open();
  });

  afterEach(() => pane.close());

  describe("what was done to the query", () => {
    const lines = (): HTMLElement => one(pane.view.contentEl, ".quarry-line");
    const corrected = { ...searchResult(hit("a.md")), corrections: [{ typed: "refrences", used: "references" }] };

    test("a corrected word is named above the rows, and the correction can be undone", async () => {
      await pane.type("old refrences");
      pane.client.last.answer(corrected);
      await settled();
      const line = lines().textContent;
      one(lines(), "button").click();
      await pane.clock.advance(100);

      expect(line).toBe("Showing results for “references”. No notes contain “refrences”. Search as typed");
      expect(pane.input().value).toBe('old "refrences"');
      expect(pane.client.last.params).toMatchObject({ query: 'old "refrences"', typing: false });
    });

    test("a word that no note contains is named above the rows and to a screen reader", async () => {
      await pane.type("unicorns eat grass");
      pane.client.last.answer({ ...searchResult(hit("a.md")), unknownWords: ["unicorns", "elves"] });
      await settled();

      expect(lines().textContent).toBe("No note contains “unicorns” or “elves”.");
      expect(one(pane.view.contentEl, '[aria-live="polite"]').textContent).toContain("No note contains “unicorns” or “elves”.");
    });

    test("a sentence is in one line until typing has rested, and again when it is another one", async () => {
      const isWhole = (): boolean => lines().parentElement?.hasClass("is-at-rest") === true;
      await pane.type("refrences");
      pane.client.last.answer(corrected);
      await settled();
      const seen = [isWhole()];
      await pane.clock.advance(700);
      seen.push(isWhole());
      await pane.type("unicorns");
      pane.client.last.answer({ ...searchResult(hit("a.md")), unknownWords: ["unicorns"] });
      await settled();
      seen.push(isWhole());

      expect(seen).toEqual([false, true, false]);
    });

    test("stays while the next answer is awaited, and goes with the rows it was about", async () => {
      await pane.type("refrences");
      pane.client.last.answer(corrected);
      await settled();
      const button = one(lines(), "button");
      await pane.type("refrences x");

      expect(one(lines(), "button")).toBe(button);
      await pane.answer("b.md");
      expect(lines().textContent).toBe("1 note");
    });

    test("a weak answer is told as weak, above the rows and to a screen reader, once its last word is whole", async () => {
      const weak = { ...searchResult(hit("a.md")), confidence: 0.02, weakness: "no-words" } as const;
      await pane.type("zzqqxx");
      pane.client.last.answer(weak);
      await settled();
      expect(lines().textContent).toBe("1 note"); // what is typed may go on, or be corrected
      pane.input().dispatchEvent(new FocusEvent("blur"));
      pane.client.last.answer(weak);
      await settled();

      expect(pane.titles()).toEqual(["a"]);
      expect(lines().textContent).toBe("No note contains these words.");
      expect(one(pane.view.contentEl, '[aria-live="polite"]').textContent).toContain("No note contains these words");
    });

    test("the count says how the query was understood", async () => {
      await pane.type("retry");
      await pane.answer("a.md");
      const count = one(pane.view.contentEl, ".quarry-remark");

      expect(count.title).toMatch(/^Searched for notes about retry\. · \d+ ms$/);
      expect(count.getAttribute("aria-description")).toBe(count.title);
    });

    test("Enter with no row to open asks as well", async () => {
      await pane.type("refrences");
      await pane.answer();
      key(pane.input(), "Enter");

      expect(pane.client.last.params).toMatchObject({ query: "refrences", typing: false });
    });
  });

  test("why a note is where it is opens over the pane, as text", async () => {
    vi.spyOn(Modal.prototype, "open").mockImplementation(function (this: Modal) {
      document.body.append(this.contentEl);
      void this.onOpen();
    });
    await pane.type("retry");
    await pane.answer("a.md");
    const shown = pane.view.explain("b.md");
    pane.client.last.answer(explained({ path: "b.md", messages: [{ code: "reason.other", args: { detail: "it lacks <b>the</b> words" } }], signals: [{ name: "title", share: 1 }] }));
    await shown;
    const modal = one(document, ".quarry-explain");

    expect(one(modal, "p").textContent).toBe("It lacks <b>the</b> words.");
    expect(texts(modal, "dt, dd")).toEqual(["Words in the title", "100%", "Searched for", "notes about retry"]);
  });
});

describe("progress block", () => {
  let el: HTMLElement;
  let acted: string[];
  let show: ReturnType<typeof progressBlock>;

  beforeEach(() => {
    el = emptyBody().createDiv();
    acted = [];
    show = progressBlock(el, (action) => acted.push(action));
  });

  test("says and draws how far the index is", () => {
    show({ kind: "indexing", done: 64, total: 256, remainingMs: null });
    const bar = one(el, "progress") as HTMLProgressElement;

    expect(el.hasClass("is-hidden")).toBe(false);
    expect(one(el, ".quarry-progress-text").textContent).toBe("Indexing 64 of 256 notes");
    expect([bar.value, bar.max]).toEqual([64, 256]);
    one(el, "button").click();
    expect(acted).toEqual(["pause"]);
  });

  test("keeps its bar while it fills, and is hidden once rows are there or nothing is indexed", () => {
    show({ kind: "indexing", done: 1, total: 2, remainingMs: null });
    const bar = one(el, "progress");
    show({ kind: "indexing", done: 2, total: 2, remainingMs: null });
    const kept = one(el, "progress") === bar;
    show({ kind: "live", notes: 2, problems: 0, sentTo: null });
    const live = el.hasClass("is-hidden");
    show(null);

    expect([kept, live, el.hasClass("is-hidden")]).toEqual([true, true, true]);
  });
});
