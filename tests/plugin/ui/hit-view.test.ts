// @vitest-environment jsdom
import { emptyBody, one, removedBy, texts } from "./dom";
import { beforeEach, expect, test } from "vitest";
import { type Hit } from "../../../plugin/protocol/messages";
import { type FurtherPassages } from "../../../plugin/search/passage-loader";
import { HitView } from "../../../plugin/ui/hit-view";
import { hit, manualClock, passage } from "../builders";

let el: HTMLElement;
let row: HitView;

beforeEach(() => {
  row = new HitView(manualClock());
  el = emptyBody().createDiv();
  el.append(row.el);
});

const show = (found: Hit, nowMs: number, further: FurtherPassages = { kind: "folded" }): void => {
  row.show({ kind: "hit", key: found.path, hit: found, passage: found.passages[0] ?? null, further }, nowMs);
};
const titles = (): string[] => texts(el, ".quarry-title");

test("says title, why, age, trail and snippet", () => {
  show(hit("Work/API.md", { title: "API retry", why: "exact", modifiedMs: 0, passages: [passage({ headingPath: ["Backoff", "Jitter"] })] }), 7_200_000);

  expect(texts(el, ".quarry-title, .quarry-why, .quarry-age, .quarry-trail, .quarry-snippet")).toEqual([
    "API retry",
    "exact",
    "2 h",
    "Backoff › Jitter",
    "retry with capped backoff",
  ]);
});

test("marks words and the nearest sentence", () => {
  const found = passage({
    snippet: "Retry it. Then stop.",
    marks: [{ start: 0, end: 5, kind: "word" }, { start: 10, end: 20, kind: "sentence" }],
  });
  show(hit("a.md", { passages: [found] }), 0);

  expect(texts(el, ".search-result-file-matched-text")).toEqual(["Retry"]);
  expect(texts(el, ".quarry-sentence")).toEqual(["Then stop."]);
});

test("marks the words of the query in its title, and draws it anew only where it differs", () => {
  const found = hit("a.md", { title: "😀 Retry now", titleMarks: [{ start: 3, end: 8, kind: "word" }], passages: [] });
  show(found, 0);
  const marked = texts(el, ".quarry-title .search-result-file-matched-text");
  const removed = removedBy(el, () => { show(structuredClone(found), 0); });
  show({ ...found, titleMarks: [] }, 0);

  expect(marked).toEqual(["Retry"]);
  expect(removed).toBe(0);
  expect(titles()).toEqual(["😀 Retry now"]);
  expect(el.querySelector(".quarry-title span")).toBeNull();
});

test("keeps hostile text as text", () => {
  const evil = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>';
  show(hit("a.md", { title: evil, titleMarks: [{ start: 1, end: 4, kind: "word" }], passages: [passage({ headingPath: [`A ${evil}`], snippet: evil, marks: [{ start: 0, end: 4, kind: "word" }] })] }), 0);

  expect(el.querySelector("img, script")).toBeNull();
  expect(texts(el, ".quarry-title, .quarry-trail, .quarry-snippet")).toEqual([evil, `A ${evil}`, evil]);
});

test("has one option, and one more for each further passage, whose elements stay", () => {
  const found = hit("a.md", { furtherPassages: 2 });
  show(found, 0);
  const folded = row.options.length;
  show(found, 0, { kind: "unfolded", passages: [passage({ start: 100 })] });
  const second = row.options[1];
  show(found, 0, { kind: "unfolded", passages: [passage({ start: 100 }), passage({ start: 200 })] });

  expect([folded, row.options.length]).toEqual([1, 3]);
  expect(row.options[1]).toBe(second);
  expect(row.options.every((el) => el.getAttribute("role") === "option" && el.id !== "")).toBe(true);
});

test("tells a screen reader whether it can be expanded, is expanded, and is loading", () => {
  const states = (): (string | null)[] => [row.el.getAttribute("aria-busy"), row.options[0]?.getAttribute("aria-expanded") ?? null];
  show(hit("a.md"), 0);
  const single = states();
  show(hit("a.md", { furtherPassages: 1 }), 0);
  const folded = states();
  show(hit("a.md", { furtherPassages: 1 }), 0, { kind: "loading", previous: [] });
  const loading = states();
  show(hit("a.md", { furtherPassages: 1 }), 0, { kind: "unfolded", passages: [passage({ start: 100 })] });

  expect(single).toEqual([null, null]);
  expect(folded).toEqual([null, "false"]);
  expect(loading).toEqual(["true", "true"]);
  expect(states()).toEqual([null, "true"]);
});

test("with one passage has no line to unfold", () => {
  show(hit("a.md"), 0);

  expect(one(el, ".quarry-more").hasClass("is-hidden")).toBe(true);
});

test("without a passage is still a row", () => {
  show(hit("a.md", { passages: [] }), 0);

  expect(titles()).toEqual(["a"]);
  expect(row.options).toHaveLength(1);
});

test("names the maps of content that list the note, and hides the line where there are none", () => {
  const line = (): HTMLElement | null => el.querySelector(".quarry-maps");
  show(hit("a.md"), 0);
  const before = line()?.hasClass("is-hidden");
  show(hit("a.md", { maps: [{ path: "Kitchen.md", title: "Kitchen <b>MOC</b>" }, { path: "Home.md", title: "Home" }] }), 0);

  expect(before).toBe(true);
  expect(line()?.hasClass("is-hidden")).toBe(false);
  expect(texts(el, ".quarry-maps")).toEqual(["In Kitchen <b>MOC</b>, Home"]);
});
