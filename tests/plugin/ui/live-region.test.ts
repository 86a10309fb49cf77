// @vitest-environment jsdom
import { emptyBody } from "./dom";
import { beforeEach, expect, test } from "vitest";
import { LiveRegion } from "../../../plugin/ui/live-region";

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
