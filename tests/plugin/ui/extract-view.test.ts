// @vitest-environment jsdom
import { expect, test } from "vitest";

import { type ExtractRow, answerRows } from "../../../plugin/pane/rows";
import { ExtractView } from "../../../plugin/ui/extract-view";
import { ROW_OPTIONS, answer, hit } from "../builders";
import { emptyBody } from "./dom";

function shown(text: string, headingPath: readonly string[] = ["Eggs", "Timing"]): HTMLElement {
  const extract = { path: "Eggs.md", text, headingPath, line: 4, matchStart: 40, matchEnd: 52, anchor: null, confidence: 0.9 };
  const [row] = answerRows(answer({ hits: [hit("Eggs.md", { title: "Eggs" })], extract }), ROW_OPTIONS);
  emptyBody();
  const view = new ExtractView();
  view.show(row as ExtractRow);
  return view.el;
}

test("the sentence is quoted without Markdown's signs, with where it stands", () => {
  const el = shown("**Six** minutes, see [[Timer|the timer]].");

  expect([...el.children].map(({ textContent }) => textContent)).toEqual(["Six minutes, see the timer.", "Eggs › Timing"]);
});

test("a screen reader hears that it is an answer, and from where", () => {
  const el = shown("Six minutes.");

  expect(el.getAttribute("role")).toBe("option");
  expect(el.getAttribute("aria-label")).toBe("Answer from Eggs › Timing: Six minutes.");
});

test("a hostile sentence is text", () => {
  const el = shown("<img src=x onerror=alert(1)> <b>bold</b> stays text");

  expect(el.querySelector("img, b")).toBeNull();
});
