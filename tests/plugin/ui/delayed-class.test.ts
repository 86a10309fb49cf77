// @vitest-environment jsdom
import { emptyBody } from "./dom";
import { beforeEach, expect, test } from "vitest";
import { DelayedClass } from "../../../plugin/ui/delayed-class";
import { type ManualClock, manualClock } from "../builders";

let el: HTMLElement;
let clock: ManualClock;
let waiting: DelayedClass;

beforeEach(() => {
  el = emptyBody().createDiv();
  clock = manualClock();
  waiting = new DelayedClass(el, "is-stale", clock);
});

const hasClass = (): boolean => el.hasClass("is-stale");

test("appears after a delay, counted from the first of several calls", async () => {
  waiting.set(true);
  await clock.advance(100);
  waiting.set(true);
  const early = hasClass();
  await clock.advance(50);

  expect(early).toBe(false);
  expect(hasClass()).toBe(true);
});

test("never appears where the wait is short", async () => {
  waiting.set(true);
  await clock.advance(100);
  waiting.set(false);
  await clock.advance(1_000);

  expect(hasClass()).toBe(false);
});

test("disappears at once", async () => {
  waiting.set(true);
  await clock.advance(1_000);
  waiting.set(false);

  expect(hasClass()).toBe(false);
});
