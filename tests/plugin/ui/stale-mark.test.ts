// @vitest-environment jsdom
import { emptyBody } from "./dom";
import { beforeEach, describe, expect, test } from "vitest";
import { StaleMark } from "../../../plugin/ui/stale-mark";
import { type ManualClock, manualClock } from "../builders";

let el: HTMLElement;
let clock: ManualClock;
let mark: StaleMark;

beforeEach(() => {
  el = emptyBody().createDiv();
  clock = manualClock();
  mark = new StaleMark(el, clock);
});

const isMarked = (): boolean => el.hasClass("is-stale");

describe("rows of an earlier question", () => {
  test("are marked once the answer is late, counted from the first of several keys", async () => {
    mark.show(true);
    await clock.advance(100);
    mark.show(true);
    const early = isMarked();
    await clock.advance(50);

    expect(early).toBe(false);
    expect(isMarked()).toBe(true);
  });

  test("are never marked where the answer comes soon", async () => {
    mark.show(true);
    await clock.advance(100);
    mark.show(false);
    await clock.advance(1_000);

    expect(isMarked()).toBe(false);
  });

  test("are themselves again at once when the answer is there", async () => {
    mark.show(true);
    await clock.advance(1_000);
    mark.show(false);

    expect(isMarked()).toBe(false);
  });
});
