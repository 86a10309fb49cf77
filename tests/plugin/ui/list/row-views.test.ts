// @vitest-environment jsdom
import { describe, expect, test } from "vitest";
import "../dom";
import { answerRows, type ExtractRow } from "../../../../plugin/pane/rows";
import { createView, exampleView, extractView, recentView } from "../../../../plugin/ui/list/row-views";
import { answer, hit, ROOM, ROW_OPTIONS } from "../../builders";
import { emptyBody, one } from "../dom";

const HOSTILE = "<img src=x> <b>glue</b>";

test.each([
  ["create", createView(), { kind: "create", key: "create", name: HOSTILE }, `Create “${HOSTILE}”`],
  ["example", exampleView(), { kind: "example", key: "example 1", query: HOSTILE }, HOSTILE],
  ["recent", recentView(), { kind: "recent", key: "recent 1", query: HOSTILE, isSaved: false }, HOSTILE],
] as const)("a row of the kind %s is an option, as text, whatever it holds", (_, view, row, text) => {
  view.show(row, 0, ROOM);

  expect(view.el.textContent).toContain(text);
  expect(view.el.querySelector("img")).toBeNull();
  expect(view.options.map((el) => [el, el.getAttribute("role")])).toEqual([[view.el, "option"]]);
});

describe("extract view", () => {
  function shown(text: string, headingPath: readonly string[] = ["Eggs", "Timing"]): HTMLElement {
    const extract = { path: "Eggs.md", text, headingPath, line: 4, matchStart: 40, matchEnd: 52, anchor: null, confidence: 0.9 };
    const [row] = answerRows(answer({ hits: [hit("Eggs.md", { title: "Eggs" })], extract }), ROW_OPTIONS);
    emptyBody();
    const view = extractView();
    view.show(row as ExtractRow, 0, ROOM);
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
});

describe("recent view", () => {
  test("its star saves it, its cross forgets it, and neither opens it", () => {
    const did: string[] = [];
    const view = recentView({ toggleSaved: (query) => did.push(`star ${query}`), forget: (query) => did.push(`forget ${query}`) });
    view.el.addEventListener("click", () => did.push("open"));
    view.show({ kind: "recent", key: "recent 1", query: "gateway", isSaved: false }, 0, ROOM);
    one(view.el, '[data-icon="star"]').click();
    one(view.el, '[data-icon="x"]').click();

    expect(did).toEqual(["star gateway", "forget gateway"]);
  });

  test("a saved query cannot be forgotten by a cross beside its star", () => {
    const view = recentView({ toggleSaved: () => undefined, forget: () => undefined });
    view.show({ kind: "recent", key: "saved 1", query: "gateway", isSaved: true }, 0, ROOM);

    expect(one(view.el, '[data-icon="x"]').hasClass("is-hidden")).toBe(true);
  });
});
