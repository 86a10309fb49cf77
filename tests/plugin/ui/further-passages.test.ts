// @vitest-environment jsdom
import { emptyBody, one, texts } from "./dom";
import { beforeEach, expect, test } from "vitest";
import { FurtherPassagesList } from "../../../plugin/ui/further-passages";
import { type ManualClock, ROOM, manualClock, passage } from "../builders";

const [second, third] = [passage({ snippet: "the second" }), passage({ snippet: "the third" })];

let el: HTMLElement;
let clock: ManualClock;
let further: FurtherPassagesList;

beforeEach(() => {
  el = emptyBody().createDiv();
  clock = manualClock();
  further = new FurtherPassagesList(el, clock);
});

const line = (): HTMLElement => one(el, ".quarry-more");
const snippets = (): string[] => texts(el, ".quarry-snippet");

test("a hit with one passage has no line", () => {
  further.show({ kind: "folded" }, 0, "API", ROOM);

  expect(line().hasClass("is-hidden")).toBe(true);
});

test("the line counts the passages, and folds them when they are shown", () => {
  further.show({ kind: "folded" }, 2, "API", ROOM);
  const folded = line().textContent;
  further.show({ kind: "unfolded", passages: [second, third] }, 2, "API", ROOM);

  expect([folded, line().textContent]).toEqual(["2 more passages", "Show less"]);
  expect(snippets()).toEqual(["the second", "the third"]);
  expect(further.elements).toHaveLength(2);
});

test("only a slow request is shown as loading", async () => {
  further.show({ kind: "loading", previous: [] }, 2, "API", ROOM);
  const soon = line().textContent;
  await clock.advance(200);

  expect([soon, line().textContent]).toEqual(["2 more passages", "Loading 2 more passages…"]);
  expect(further.isExpanded).toBe(true);
});

test("passages from before a change of the index stay until the new ones are there", () => {
  further.show({ kind: "unfolded", passages: [second, third] }, 2, "API", ROOM);
  const element = further.elements[0];
  further.show({ kind: "loading", previous: [second, third] }, 1, "API", ROOM);
  const meanwhile = snippets();
  further.show({ kind: "unfolded", passages: [third] }, 1, "API", ROOM);

  expect(meanwhile).toEqual(["the second", "the third"]);
  expect(snippets()).toEqual(["the third"]);
  expect(further.elements[0]).toBe(element);
});

test("a failure is shown with a way to try again", () => {
  further.show({ kind: "failed", failure: { kind: "not-connected" } }, 1, "API", ROOM);

  expect(line().textContent).toMatch(/^More passages could not be loaded\. .*Try again$/);
  expect(further.isExpanded).toBe(false);
});

test("the line is for the mouse, and hidden from screen readers", () => {
  expect(line().getAttribute("aria-hidden")).toBe("true");
  expect(further.isLine(one(el, ".quarry-more span"))).toBe(true);
  expect(further.isLine(el)).toBe(false);
});
