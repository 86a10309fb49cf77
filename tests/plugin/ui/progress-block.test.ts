// @vitest-environment jsdom
import { emptyBody, one } from "./dom";
import { beforeEach, expect, test } from "vitest";
import { ProgressBlock } from "../../../plugin/ui/progress-block";

let el: HTMLElement;
let block: ProgressBlock;

beforeEach(() => {
  el = emptyBody().createDiv();
  block = new ProgressBlock(el);
});

test("says and draws how far the index is", () => {
  block.show({ kind: "indexing", done: 64, total: 256, remainingMs: null });
  const bar = one(el, "progress") as HTMLProgressElement;

  expect(el.hasClass("is-hidden")).toBe(false);
  expect(one(el, ".quarry-progress-text").textContent).toBe("Indexing 64 of 256 notes");
  expect([bar.value, bar.max]).toEqual([64, 256]);
});

test("keeps its bar while it fills, and is hidden once rows are there or nothing is indexed", () => {
  block.show({ kind: "indexing", done: 1, total: 2, remainingMs: null });
  const bar = one(el, "progress");
  block.show({ kind: "indexing", done: 2, total: 2, remainingMs: null });
  const kept = one(el, "progress") === bar;
  block.show({ kind: "live", notes: 2, problems: 0 });
  const live = el.hasClass("is-hidden");
  block.show(null);

  expect([kept, live, el.hasClass("is-hidden")]).toEqual([true, true, true]);
});
