// @vitest-environment jsdom
import { describe, beforeEach, expect, test } from "vitest";
import { ActiveOption, arrange, delayedFlag, initOption, LiveRegion } from "../../../../plugin/ui/list/elements";
import { type ManualClock, manualClock } from "../../builders";
import { emptyBody, removedBy } from "../dom";

describe("active option", () => {
  let input: HTMLInputElement;
  let listEl: HTMLElement;
  let active: ActiveOption;

  beforeEach(() => {
    input = emptyBody().createEl("input");
    listEl = document.body.createDiv({ attr: { id: "rows" } });
    active = new ActiveOption(input, listEl);
  });

  const option = (): HTMLElement => initOption(document.body.createDiv());

  test("the selected option is marked, and the input points at it", () => {
    const [a, b] = [option(), option()];
    active.show(a);
    active.show(b);

    expect([a, b].map((el) => el.getAttribute("aria-selected"))).toEqual(["false", "true"]);
    expect([a, b].map((el) => el.hasClass("is-selected"))).toEqual([false, true]);
    expect(input.getAttribute("aria-activedescendant")).toBe(b.id);
    expect([input.getAttribute("aria-controls"), input.getAttribute("aria-expanded")]).toEqual(["rows", "true"]);
  });

  test("no options, nothing to point at", () => {
    active.show(option());
    active.show(null);

    expect(active.el).toBeNull();
    expect(input.hasAttribute("aria-activedescendant")).toBe(false);
    expect(input.getAttribute("aria-expanded")).toBe("false");
  });

  test("a list without a box points at the option itself", () => {
    const a = option();
    new ActiveOption(null, listEl).show(a);

    expect(listEl.getAttribute("aria-activedescendant")).toBe(a.id);
    expect(listEl.hasAttribute("aria-expanded")).toBe(false);
  });
});

describe("delayed flag", () => {
  let clock: ManualClock;
  let set: (isSet: boolean) => void;
  let isShown: boolean;

  beforeEach(() => {
    isShown = false;
    clock = manualClock();
    set = delayedFlag(clock, (isOn) => { isShown = isOn; });
  });

  test("appears after a delay, counted from the first of several calls", async () => {
    set(true);
    await clock.advance(100);
    set(true);
    const early = isShown;
    await clock.advance(50);

    expect(early).toBe(false);
    expect(isShown).toBe(true);
  });

  test("never appears where the wait is short", async () => {
    set(true);
    await clock.advance(100);
    set(false);
    await clock.advance(1_000);

    expect(isShown).toBe(false);
  });

  test("disappears at once", async () => {
    set(true);
    await clock.advance(1_000);
    set(false);

    expect(isShown).toBe(false);
  });
});

describe("live region", () => {
  let el: HTMLElement;
  let live: LiveRegion;

  beforeEach(() => {
    el = emptyBody().createDiv();
    live = new LiveRegion(el);
  });

  test("a state is announced when it changes", () => {
    live.announceState("3 notes found");
    live.announceState("4 notes found");

    expect(el.textContent).toBe("4 notes found");
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
