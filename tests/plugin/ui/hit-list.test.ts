// @vitest-environment jsdom
import { emptyBody, one, texts } from "./dom";
import { beforeEach, describe, expect, test } from "vitest";
import { HitList } from "../../../plugin/ui/hit-list";
import { hit, passage } from "../builders";

let el: HTMLElement;
let list: HitList;

beforeEach(() => {
  el = emptyBody().createDiv();
  list = new HitList(el);
});

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
    list.show(hits, 0);
    const removed = removedBy(() => { list.show(structuredClone(hits), 0); });

    expect(removed).toBe(0);
  });

  test("hits that are shown already are not even compared", () => {
    const hits = [hit("a.md")];
    list.show(hits, 0);
    one(el, ".quarry-title").textContent = "Touched";
    list.show(hits, 0);

    expect(titles()).toEqual(["Touched"]);
  });

  test("a new hit in front leaves the others where they are", () => {
    list.show([hit("a.md"), hit("b.md")], 0);
    const before = [rowOf("a"), rowOf("b")];
    const removed = removedBy(() => { list.show([hit("new.md"), hit("a.md"), hit("b.md")], 0); });

    expect(titles()).toEqual(["new", "a", "b"]);
    expect([rowOf("a"), rowOf("b")]).toEqual(before);
    expect(removed).toBe(0);
  });

  test("a hit that is gone takes only its own row", () => {
    list.show([hit("a.md"), hit("b.md"), hit("c.md")], 0);
    const removed = removedBy(() => { list.show([hit("a.md"), hit("c.md")], 0); });

    expect(titles()).toEqual(["a", "c"]);
    expect(removed).toBe(1);
  });

  test("a row that falls to the end is the only one that moves", () => {
    list.show([hit("a.md"), hit("b.md"), hit("c.md"), hit("d.md")], 0);
    const removed = removedBy(() => { list.show([hit("b.md"), hit("c.md"), hit("d.md"), hit("a.md")], 0); });

    expect(titles()).toEqual(["b", "c", "d", "a"]);
    expect(removed).toBe(1);
  });

  test("a new order moves rows and makes none", () => {
    list.show([hit("a.md"), hit("b.md"), hit("c.md")], 0);
    const rows = new Set(el.children);
    list.show([hit("c.md"), hit("a.md"), hit("b.md")], 0);

    expect(titles()).toEqual(["c", "a", "b"]);
    expect([...el.children].every((row) => rows.has(row))).toBe(true);
  });

  test("what changed in a row is changed in place", () => {
    list.show([hit("a.md", { why: "exact" })], 0);
    const row = rowOf("a");
    list.show([hit("a.md", { why: "both", passages: [passage({ snippet: "other words", marks: [] })] })], 0);

    expect(rowOf("a")).toBe(row);
    expect(texts(row, ".quarry-why")).toEqual(["both"]);
    expect(texts(row, ".quarry-snippet")).toEqual(["other words"]);
  });
});

describe("a row", () => {
  test("says title, why, age, trail and snippet", () => {
    list.show([hit("Work/API.md", { title: "API retry", why: "exact", modifiedMs: 0, passages: [passage({ headingPath: ["Backoff", "Jitter"] })] })], 7_200_000);

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
    list.show([hit("a.md", { passages: [found] })], 0);

    expect(texts(el, ".search-result-file-matched-text")).toEqual(["Retry"]);
    expect(texts(el, ".quarry-sentence")).toEqual(["Then stop."]);
  });

  test("marks the words of the query in its title, and draws it anew only where it differs", () => {
    const found = hit("a.md", { title: "😀 Retry now", titleMarks: [{ start: 3, end: 8, kind: "word" }], passages: [] });
    list.show([found], 0);
    const marked = texts(el, ".quarry-title .search-result-file-matched-text");
    const removed = removedBy(() => { list.show([structuredClone(found)], 0); });
    list.show([{ ...found, titleMarks: [] }], 0);

    expect(marked).toEqual(["Retry"]);
    expect(removed).toBe(0);
    expect(titles()).toEqual(["😀 Retry now"]);
    expect(el.querySelector(".quarry-title span")).toBeNull();
  });

  test("keeps hostile text as text", () => {
    const evil = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>';
    list.show([hit("a.md", { title: evil, titleMarks: [{ start: 1, end: 4, kind: "word" }], passages: [passage({ headingPath: [`A ${evil}`], snippet: evil, marks: [{ start: 0, end: 4, kind: "word" }] })] })], 0);

    expect(el.querySelector("img, script")).toBeNull();
    expect(texts(el, ".quarry-title, .quarry-trail, .quarry-snippet")).toEqual([evil, `A ${evil}`, evil]);
  });

  test("has one option, and one more for each passage that is shown", () => {
    const passages = [passage({ start: 0 }), passage({ start: 100 }), passage({ start: 200 })];
    list.show([hit("a.md", { passages })], 0);
    const closed = list.options.map(({ key }) => key);
    list.setExpanded("a.md", true);

    expect(closed).toEqual(["a.md"]);
    expect(texts(el, ".quarry-more")).toEqual(["Show less"]);
    expect(list.options.map(({ key }) => key)).toEqual(["a.md", "a.md#100", "a.md#200"]);
    expect(list.options.every((option) => option.el.getAttribute("role") === "option" && option.el.id !== "")).toBe(true);
  });

  test("stays open while its passages change", () => {
    list.show([hit("a.md", { passages: [passage(), passage({ start: 100 })] })], 0);
    list.setExpanded("a.md", true);
    const option = list.options[1]?.el;
    list.show([hit("a.md", { passages: [passage(), passage({ start: 100 }), passage({ start: 300 })] })], 0);

    expect(list.options.map(({ key }) => key)).toEqual(["a.md", "a.md#100", "a.md#300"]);
    expect(list.options[1]?.el).toBe(option);
  });

  test("with one passage cannot be opened", () => {
    list.show([hit("a.md")], 0);

    expect(list.setExpanded("a.md", true)).toBe(false);
    expect(one(el, ".quarry-more").hasClass("is-hidden")).toBe(true);
  });

  test("without a passage is still a row", () => {
    list.show([hit("a.md", { passages: [] })], 0);

    expect(titles()).toEqual(["a"]);
    expect(list.options).toMatchObject([{ key: "a.md", passage: null }]);
  });
});

test("an event in a row belongs to its option, one elsewhere to none", () => {
  list.show([hit("a.md")], 0);

  expect(list.optionAt(one(el, ".quarry-snippet"))?.key).toBe("a.md");
  expect(list.optionAt(el)).toBeNull();
  expect(list.optionAt(null)).toBeNull();
});

test("ages grow without anything else changing", () => {
  list.show([hit("a.md", { modifiedMs: 0 })], 0);
  const row = rowOf("a");
  list.updateAges(3_600_000);

  expect(texts(el, ".quarry-age")).toEqual(["1 h"]);
  expect(rowOf("a")).toBe(row);
  expect(removedBy(() => { list.updateAges(3_600_000); })).toBe(0);
});
