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
