// @vitest-environment jsdom
import { emptyBody } from "./dom";
import { beforeEach, expect, test } from "vitest";
import { keepInPlace } from "../../../plugin/ui/keep-in-place";

let scroller: HTMLElement;
let el: HTMLElement;
let top: number;

beforeEach(() => {
  scroller = emptyBody().createDiv();
  el = scroller.createDiv();
  top = 100;
  // jsdom lays nothing out, so the test says where the element is.
  el.getBoundingClientRect = () => new DOMRect(0, top, 10, 10);
  scroller.scrollTop = 40;
});

test("what is inserted above is scrolled away", () => {
  keepInPlace(scroller, el, () => { top += 25; });

  expect(scroller.scrollTop).toBe(65);
});

test("an element that did not move leaves the scroll position alone", () => {
  keepInPlace(scroller, el, () => undefined);

  expect(scroller.scrollTop).toBe(40);
});

test("without an element, or one that is gone afterwards, nothing is scrolled", () => {
  keepInPlace(scroller, null, () => undefined);
  keepInPlace(scroller, el, () => {
    top = 0;
    el.remove();
  });

  expect(scroller.scrollTop).toBe(40);
});
