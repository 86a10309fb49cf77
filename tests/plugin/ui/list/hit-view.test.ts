// @vitest-environment jsdom
import { describe, beforeEach, expect, test } from "vitest";
import { type Hit } from "../../../../plugin/protocol/messages";
import { type FurtherPassages } from "../../../../plugin/search/passage-loader";
import { hitView } from "../../../../plugin/ui/list/hit-view";
import { type RowView } from "../../../../plugin/ui/list/row-views";
import { hit, hitRow, manualClock, passage, ROOM } from "../../builders";
import { emptyBody, one, removedBy, texts } from "../dom";

describe("hit view", () => {
  let el: HTMLElement;
  let row: RowView;

  beforeEach(() => {
    row = hitView(manualClock());
    el = emptyBody().createDiv();
    el.append(row.el);
  });

  const show = (found: Hit, nowMs: number, further: FurtherPassages = { kind: "folded" }): void => {
    row.show(hitRow(found, { further }), nowMs, ROOM);
  };
  const titles = (): string[] => texts(el, ".quarry-title");

  test("says name, other name, why, count, age, trail and excerpt", () => {
    show(hit("Work/API.md", { title: "Design of retries", matchedBy: "meaning", furtherPassages: 2, modifiedMs: 0, passages: [passage({ headingPath: ["Backoff", "Jitter"] })] }), 7_200_000);

    expect(texts(el, ".quarry-title, .quarry-aside, .quarry-why, .quarry-unfold, .quarry-age, .quarry-trail, .quarry-snippet")).toEqual([
      "API",
      "Design of retries",
      "meaning",
      "+2",
      "2h",
      "Backoff › Jitter",
      "retry with capped backoff",
    ]);
  });

  test("says of a canvas and of a PDF file what they are, and of a PDF file the page", () => {
    show(hit("Board.canvas", { kind: "canvas", title: "Board" }), 0);
    const canvas = texts(el, ".quarry-kind, .quarry-trail");
    show(hit("Paper.pdf", { kind: "pdf", title: "Paper", passages: [passage({ headingPath: ["Page 12"], anchor: "page=12" })] }), 0);

    expect(canvas).toEqual(["canvas", "Backoff"]);
    expect(texts(el, ".quarry-kind, .quarry-trail")).toEqual(["PDF", "page 12"]);
    expect(one(el, ".quarry-said").textContent).toContain("Paper, PDF, ");
  });

  test("says of a note no kind", () => {
    show(hit("a.md"), 0);

    expect(one(el, ".quarry-kind").classList.contains("is-hidden")).toBe(true);
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
    const found = hit("😀 Retry now.md", { title: "😀 Retry now", titleMarks: [{ start: 3, end: 8, kind: "word" }], passages: [] });
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
    expect(texts(el, ".quarry-aside, .quarry-trail")).toEqual([evil, "A window.pwned=1"]);
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
    const states = (): (string | null)[] => [row.el.getAttribute("aria-busy"), row.options[0]?.getAttribute("data-expanded") ?? null];
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

  test("names a missing word last, and no maps of content", () => {
    row.show(hitRow(hit("a.md", { maps: [{ path: "Home.md", title: "Home" }] }), { missing: ["zebra"] }), 0, ROOM);

    expect(texts(el, ".quarry-meta > *")).toEqual(["Backoff", "zebra"]);
    expect(one(el, ".quarry-missing").title).toBe("missing: zebra");
    expect(row.el.textContent).not.toContain("Home");
  });

  test("shows two tags", () => {
    show(hit("a.md", { tags: ["idea", "work/<b>", "third"] }), 0);

    expect(texts(el, ".quarry-tag")).toEqual(["#idea", "#work/<b>"]);
  });

  test("shows a passage at length, and its further passages as well, and goes back", () => {
    const long = passage({ snippet: "many words of one passage ".repeat(30), marks: [] });
    const found = hit("a.md", { furtherPassages: 1 });
    const further = { kind: "unfolded", passages: [passage({ start: 9 })] } as const;
    row.show(hitRow(found, { context: long, further, furtherContexts: [long] }), 0, ROOM);
    const lengths = (): number[] => texts(el, ".quarry-snippet").map((text) => text.length);
    const wide = lengths();
    row.show(hitRow(found, { further, furtherContexts: [null] }), 0, ROOM);

    expect(wide.every((length) => length > 700)).toBe(true);
    expect([lengths(), el.querySelector(".is-wide")]).toEqual([[25, 25], null]);
  });

  test("has one name for a screen reader, in which nothing runs together", () => {
    row.show(hitRow(hit("API.md", { furtherPassages: 1 }), { missing: ["zebra"] }), 7_200_000, ROOM);

    expect(row.options[0]?.querySelector(".quarry-said")?.textContent).toBe("API, missing: zebra, 2h ago, 1 more passage, under Backoff: retry with capped backoff");
  });

  test("is quieter where it is merely the nearest that there is", () => {
    row.show(hitRow(hit("a.md", { matchedBy: "meaning" }), { isWeak: true, reason: null }), 0, ROOM);

    expect(row.el.hasClass("is-weak")).toBe(true);
    expect(one(el, ".quarry-why").hasClass("is-hidden")).toBe(true);
  });

  test("is drawn anew where there is more room", () => {
    const long = hit("a.md", { passages: [passage({ snippet: "many words of one passage ".repeat(20), marks: [] })] });
    row.show(hitRow(long), 0, { characters: 60, asked: 120 });
    const narrow = one(el, ".quarry-snippet").textContent.length;
    row.show(hitRow(long), 0, { characters: 200, asked: 400 });

    expect(narrow).toBeLessThanOrEqual(61);
    expect(one(el, ".quarry-snippet").textContent.length).toBeGreaterThan(150);
  });
});
