// @vitest-environment jsdom
import { emptyBody, one, texts } from "../dom";
import { beforeEach, expect, test } from "vitest";
import { passageBlock, showMarked } from "../../../../plugin/ui/list/passage-block";
import { passage, ROOM } from "../../builders";

let el: HTMLElement;

beforeEach(() => {
  el = emptyBody().createDiv();
});

test("does not repeat the title of the note, in the heading path or in the snippet", () => {
  passageBlock(el).show(passage({ headingPath: ["API", "Jitter"], snippet: "API\n\nIt jitters.", marks: [] }), "API", ROOM);

  expect(texts(el, ".quarry-trail, .quarry-snippet")).toEqual(["Jitter", "It jitters."]);
});

test("a heading that is the excerpt is not shown above it", () => {
  passageBlock(el).show(passage({ headingPath: ["API", "Jitter", "Full"], snippet: "Full", marks: [] }), "API", ROOM);

  expect(texts(el, ".quarry-trail, .quarry-snippet")).toEqual(["Jitter", "Full"]);
});

test("is hidden without a passage, and its heading path without headings", () => {
  const block = passageBlock(el);
  block.show(passage({ headingPath: [] }), "API", ROOM);
  const trail = one(el, ".quarry-trail").hasClass("is-hidden");
  block.show(null, "API", ROOM);

  expect([trail, el.hasClass("is-hidden")]).toEqual([true, true]);
});

test("unchanged text keeps its nodes, and with them a selection", () => {
  showMarked(el, "retry now", [{ start: 0, end: 5, kind: "word" }]);
  const node = el.firstChild;
  showMarked(el, "retry now", [{ start: 0, end: 5, kind: "word" }]);
  const kept = el.firstChild;
  showMarked(el, "retry now", []);

  expect(kept).toBe(node);
  expect(el.childNodes).toHaveLength(1);
});
