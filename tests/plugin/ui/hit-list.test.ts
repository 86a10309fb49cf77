// @vitest-environment jsdom
import { emptyBody, one, texts } from "./dom";
import { beforeEach, describe, expect, test } from "vitest";
import { HitList, keepInPlace } from "../../../plugin/ui/hit-list";
import { type FurtherPassages } from "../../../plugin/search/passage-loader";
import { type Hit } from "../../../plugin/protocol/messages";
import { hit, manualClock, passage } from "../builders";

let el: HTMLElement;
let list: HitList;

beforeEach(() => {
  el = emptyBody().createDiv();
  list = new HitList(el, manualClock());
});

const FOLDED: FurtherPassages = { kind: "folded" };
const show = (hits: readonly Hit[], nowMs: number): void => {
  list.show(hits, () => FOLDED, nowMs);
};
const titles = (): string[] => texts(el, ".quarry-title");
const rowOf = (title: string): Element => {
  const row = [...el.children].find((child) => child.getAttribute("aria-label") === title);
  if (!row) throw new Error(`no row ${title}`);
  return row;
};

/** Nodes taken out of the list while `change` runs. */
function removedBy(change: () => void): number {
  const observer = new MutationObserver(() => undefined);
  observer.observe(el, { childList: true, subtree: true });
  change();
  const removed = observer.takeRecords().reduce((sum, record) => sum + record.removedNodes.length, 0);
  observer.disconnect();
  return removed;
}

describe("patching", () => {
  test("the same hits touch nothing", () => {
    const hits = [hit("a.md"), hit("b.md")];
    show(hits, 0);
    const removed = removedBy(() => { show(structuredClone(hits), 0); });

    expect(removed).toBe(0);
  });

  test("hits that are shown already are not even compared", () => {
    const hits = [hit("a.md")];
    show(hits, 0);
    one(el, ".quarry-title").textContent = "Touched";
    show(hits, 0);

    expect(titles()).toEqual(["Touched"]);
  });

  test("a new hit in front leaves the others where they are", () => {
    show([hit("a.md"), hit("b.md")], 0);
    const before = [rowOf("a"), rowOf("b")];
    const removed = removedBy(() => { show([hit("new.md"), hit("a.md"), hit("b.md")], 0); });

    expect(titles()).toEqual(["new", "a", "b"]);
    expect([rowOf("a"), rowOf("b")]).toEqual(before);
    expect(removed).toBe(0);
  });

  test("a hit that is gone takes only its own row", () => {
    show([hit("a.md"), hit("b.md"), hit("c.md")], 0);
    const removed = removedBy(() => { show([hit("a.md"), hit("c.md")], 0); });

    expect(titles()).toEqual(["a", "c"]);
    expect(removed).toBe(1);
  });

  test("a row that falls to the end is the only one that moves", () => {
    show([hit("a.md"), hit("b.md"), hit("c.md"), hit("d.md")], 0);
    const removed = removedBy(() => { show([hit("b.md"), hit("c.md"), hit("d.md"), hit("a.md")], 0); });

    expect(titles()).toEqual(["b", "c", "d", "a"]);
    expect(removed).toBe(1);
  });

  test("a new order moves rows and makes none", () => {
    show([hit("a.md"), hit("b.md"), hit("c.md")], 0);
    const rows = new Set(el.children);
    show([hit("c.md"), hit("a.md"), hit("b.md")], 0);

    expect(titles()).toEqual(["c", "a", "b"]);
    expect([...el.children].every((row) => rows.has(row))).toBe(true);
  });

  test("what changed in a row is changed in place", () => {
    show([hit("a.md", { why: "exact" })], 0);
    const row = rowOf("a");
    show([hit("a.md", { why: "both", passages: [passage({ snippet: "other words", marks: [] })] })], 0);

    expect(rowOf("a")).toBe(row);
    expect(texts(row, ".quarry-why")).toEqual(["both"]);
    expect(texts(row, ".quarry-snippet")).toEqual(["other words"]);
  });
});

describe("a row", () => {
  test("says title, why, age, trail and snippet", () => {
    show([hit("Work/API.md", { title: "API retry", why: "exact", modifiedMs: 0, passages: [passage({ headingPath: ["Backoff", "Jitter"] })] })], 7_200_000);

    expect(texts(el, ".quarry-title, .quarry-why, .quarry-age, .quarry-trail, .quarry-snippet")).toEqual([
      "API retry",
      "exact",
      "2 h",
      "Backoff › Jitter",
      "retry with capped backoff",
    ]);
  });

  test("marks words and the nearest sentence", () => {
    const found = passage({
      snippet: "Retry it. Then stop.",
      marks: [{ start: 0, end: 5, kind: "word" }, { start: 10, end: 20, kind: "sentence" }],
    });
    show([hit("a.md", { passages: [found] })], 0);

    expect(texts(el, ".search-result-file-matched-text")).toEqual(["Retry"]);
    expect(texts(el, ".quarry-sentence")).toEqual(["Then stop."]);
  });

  test("marks the words of the query in its title, and draws it anew only where it differs", () => {
    const found = hit("a.md", { title: "😀 Retry now", titleMarks: [{ start: 3, end: 8, kind: "word" }], passages: [] });
    show([found], 0);
    const marked = texts(el, ".quarry-title .search-result-file-matched-text");
    const removed = removedBy(() => { show([structuredClone(found)], 0); });
    show([{ ...found, titleMarks: [] }], 0);

    expect(marked).toEqual(["Retry"]);
    expect(removed).toBe(0);
    expect(titles()).toEqual(["😀 Retry now"]);
    expect(el.querySelector(".quarry-title span")).toBeNull();
  });

  test("keeps hostile text as text", () => {
    const evil = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>';
    show([hit("a.md", { title: evil, titleMarks: [{ start: 1, end: 4, kind: "word" }], passages: [passage({ headingPath: [`A ${evil}`], snippet: evil, marks: [{ start: 0, end: 4, kind: "word" }] })] })], 0);

    expect(el.querySelector("img, script")).toBeNull();
    expect(texts(el, ".quarry-title, .quarry-trail, .quarry-snippet")).toEqual([evil, `A ${evil}`, evil]);
  });

  test("has one option, and one more for each further passage", () => {
    show([hit("a.md", { furtherPassages: 2 })], 0);
    const folded = list.options.map(({ key }) => key);
    list.showFurther("a.md", { kind: "unfolded", passages: [passage({ start: 100 }), passage({ start: 200 })] });

    expect(folded).toEqual(["a.md"]);
    expect(list.options.map(({ key }) => key)).toEqual(["a.md", "a.md#100", "a.md#200"]);
    expect(list.options.every((option) => option.el.getAttribute("role") === "option" && option.el.id !== "")).toBe(true);
  });

  test("keeps the elements of further passages that stay", () => {
    show([hit("a.md", { furtherPassages: 1 })], 0);
    list.showFurther("a.md", { kind: "unfolded", passages: [passage({ start: 100 })] });
    const option = list.options[1]?.el;
    list.showFurther("a.md", { kind: "unfolded", passages: [passage({ start: 100 }), passage({ start: 300 })] });

    expect(list.options.map(({ key }) => key)).toEqual(["a.md", "a.md#100", "a.md#300"]);
    expect(list.options[1]?.el).toBe(option);
  });

  test("tells a screen reader whether it can be expanded, is expanded, and is loading", () => {
    const states = (): (string | null)[] => [rowOf("a").getAttribute("aria-busy"), list.options[0]?.el.getAttribute("aria-expanded") ?? null];
    show([hit("a.md")], 0);
    const single = states();
    show([hit("a.md", { furtherPassages: 1 })], 0);
    const folded = states();
    list.showFurther("a.md", { kind: "loading", previous: [] });
    const loading = states();
    list.showFurther("a.md", { kind: "unfolded", passages: [passage({ start: 100 })] });

    expect(single).toEqual([null, null]);
    expect(folded).toEqual([null, "false"]);
    expect(loading).toEqual(["true", "true"]);
    expect(states()).toEqual([null, "true"]);
  });

  test("with one passage has no line to unfold", () => {
    show([hit("a.md")], 0);

    expect(list.hasFurther("a.md")).toBe(false);
    expect(one(el, ".quarry-more").hasClass("is-hidden")).toBe(true);
  });

  test("without a passage is still a row", () => {
    show([hit("a.md", { passages: [] })], 0);

    expect(titles()).toEqual(["a"]);
    expect(list.options).toMatchObject([{ key: "a.md", passage: null }]);
  });
});

test("an event in a row belongs to its option, one elsewhere to none", () => {
  show([hit("a.md")], 0);

  expect(list.optionAt(one(el, ".quarry-snippet"))?.key).toBe("a.md");
  expect(list.optionAt(el)).toBeNull();
  expect(list.optionAt(null)).toBeNull();
});

test("ages grow without anything else changing", () => {
  show([hit("a.md", { modifiedMs: 0 })], 0);
  const row = rowOf("a");
  list.updateAges(3_600_000);

  expect(texts(el, ".quarry-age")).toEqual(["1 h"]);
  expect(rowOf("a")).toBe(row);
  expect(removedBy(() => { list.updateAges(3_600_000); })).toBe(0);
});

describe("an element that is kept in place", () => {
  let scroller: HTMLElement;
  let row: HTMLElement;
  let top: number;

  beforeEach(() => {
    scroller = emptyBody().createDiv();
    row = scroller.createDiv();
    top = 100;
    // jsdom lays nothing out, so the test says where the element is.
    row.getBoundingClientRect = () => new DOMRect(0, top, 10, 10);
    scroller.scrollTop = 40;
  });

  test("scrolls by what is inserted above it", () => {
    keepInPlace(scroller, row, () => { top += 25; });

    expect(scroller.scrollTop).toBe(65);
  });

  test("that did not move leaves the scroll position alone", () => {
    keepInPlace(scroller, row, () => undefined);

    expect(scroller.scrollTop).toBe(40);
  });

  test("scrolls nothing when there is none, or it is gone afterwards", () => {
    keepInPlace(scroller, null, () => undefined);
    keepInPlace(scroller, row, () => {
      top = 0;
      row.remove();
    });

    expect(scroller.scrollTop).toBe(40);
  });
});
