// @vitest-environment jsdom
import { describe, beforeEach, expect, test } from "vitest";
import { arrange, delayedFlag, LiveRegion } from "../../../../plugin/ui/list/elements";
import { manualClock } from "../../builders";
import { emptyBody, removedBy } from "../dom";

test("a delayed flag appears once, after a delay from the first of several calls, and disappears at once", async () => {
  const clock = manualClock();
  const shown: boolean[] = [];
  const set = delayedFlag(clock, (isOn) => shown.push(isOn));
  for (const isSet of [true, false, true, true]) {
    set(isSet);
    await clock.advance(100);
  }
  await clock.advance(1_000);
  set(false);

  expect(shown).toEqual([false, true, false]);
});

describe("live region", () => {
  let el: HTMLElement;
  let live: LiveRegion;

  beforeEach(() => {
    el = emptyBody().createDiv();
    live = new LiveRegion(el);
  });

  test("a state that stays the same does not repeat itself after an event", () => {
    live.announceState("3 notes found");
    live.announceEvent("2 more passages in Bellows");
    live.announceState("3 notes found");

    expect(el.textContent).toBe("2 more passages in Bellows");
  });

  test("an event that happens twice changes the region twice, and reads the same", () => {
    live.announceEvent("Link copied");
    const first = el.textContent;
    live.announceEvent("Link copied");

    expect(el.textContent).not.toBe(first);
    expect(el.textContent.trim()).toBe("Link copied");
    live.announceEvent("Link copied");
    expect(el.textContent).toBe(first);
  });
});

describe("arranged elements", () => {
  test.each([
    ["abcd", 0],
    ["axbxcd", 0],
    ["dabc", 1],
    ["bcda", 1],
    ["acbd", 1],
    ["dcba", 3],
  ])("are in the order of %s after %i moves", (order, moves) => {
    const parent = emptyBody().createDiv();
    const els = new Map(Array.from("abcd").map((name) => [name, parent.createDiv({ text: name })]));
    const moved = removedBy(parent, () => { arrange(parent, Array.from(order).map((name) => els.get(name) ?? createDiv({ text: name }))); });

    expect([...parent.children].map((el) => el.textContent).join("")).toBe(order);
    expect(moved).toBe(moves);
  });
});
