// @vitest-environment jsdom
import { one, texts } from "../dom";
import { TestList } from "../test-list";
import { beforeEach, describe, expect, test } from "vitest";
import { hit, passage, settled } from "../../builders";

let shown: TestList;

beforeEach(() => {
  shown = new TestList();
});

describe("keys", () => {
  test("the arrows select, and the list says so to a screen reader", () => {
    shown.source.answer({ hits: [hit("a.md"), hit("b.md")] });

    expect(shown.press("ArrowDown")).toBe(true);
    expect(shown.selected()).toEqual(["b"]);
    const active = one(shown.el, ".quarry-list").getAttribute("aria-activedescendant") ?? "none";
    expect(one(shown.el, `#${active}`).textContent).toContain("b");
    expect(shown.source.asked).toContain("freeze");
  });

  test("Enter opens the selected row, and the source hears of it", async () => {
    shown.source.answer({ hits: [hit("a.md"), hit("b.md")] });
    shown.press("ArrowDown");

    expect(shown.press("Enter")).toBe(true);
    await settled();
    expect(shown.opened).toEqual(["b.md"]);
    expect(shown.source.asked).toContain("opened b.md");
  });

  test("without rows Enter is left to the place, as Escape is", () => {
    expect(shown.press("Enter")).toBe(false);
    expect(shown.press("Escape")).toBe(false);
  });

  test("right and left do the same, and are left to the text where there is nothing to unfold or to fold", () => {
    shown.source.answer({ hits: [hit("a.md", { furtherPassages: 1 })] });
    const folded = shown.press("ArrowLeft");
    const unfolds = shown.press("ArrowRight");
    shown.source.setFurther("a.md", { kind: "unfolded", passages: [] });

    expect([folded, unfolds, shown.press("ArrowRight"), shown.press("ArrowLeft")]).toEqual([false, true, false, true]);
    expect(shown.source.asked).toEqual(["freeze", "unfold a.md", "fold a.md"]);
  });

  test("commands show the passage at length, and no longer", async () => {
    shown.source.answer({ hits: [hit("a.md")] });
    const snippet = (): string => one(shown.el, ".quarry-snippet").textContent;
    const run = (command: "less-context" | "more-context"): boolean => shown.list.handleKey({ kind: "command", command }, null);
    const less = run("less-context");
    shown.source.wide = passage({ snippet: "far more of the passage" });
    run("more-context");
    await settled();
    const wide = snippet();

    expect(less).toBe(false);
    expect([wide, run("more-context"), run("less-context")]).toEqual(["far more of the passage", false, true]);
    await settled();
    expect(snippet()).toBe("retry with capped backoff");
  });

  test("a passage that is gone stays as it is", async () => {
    shown.source.answer({ hits: [hit("a.md")] });
    shown.list.handleKey({ kind: "command", command: "more-context" }, null);
    await settled();

    expect(shown.el.querySelector(".is-wide")).toBeNull();
  });

  test("the last row asks for more when it is reached", () => {
    shown.source.answer({ hits: [hit("a.md")], total: 9, limit: 1 });
    shown.press("ArrowDown");

    expect(shown.source.asked).toContain("more");
  });
});

test("nothing is drawn once the list is unloaded", () => {
  shown.list.unload();
  shown.source.answer({ hits: [hit("a.md")] });

  expect(shown.titles()).toEqual([]);
});

describe("out of sight", () => {
  test("nothing is drawn or asked for; in sight again, the list catches up once", () => {
    shown.source.answer({ hits: [hit("a.md")] });
    shown.list.setInSight(false);
    const drawn = shown.drawn.length;
    shown.source.answer({ hits: [hit("b.md")] });
    shown.indexUpdated.emit();
    shown.indexUpdated.emit();

    expect(shown.titles()).toEqual(["a"]);
    expect(shown.drawn).toHaveLength(drawn);
    expect(shown.source.asked).toEqual([]);
    shown.list.setInSight(true);
    expect(shown.titles()).toEqual(["b"]);
    expect(shown.source.asked).toEqual(["refresh"]);
  });

  test("a list that missed nothing asks for nothing when it is seen again", () => {
    shown.list.setInSight(false);
    shown.list.setInSight(true);

    expect(shown.source.asked).toEqual([]);
  });
});

describe("several rows", () => {
  const chosen = (): string[] => texts(shown.el, ".is-chosen .quarry-title");
  const announced = (): string => one(shown.el, ".quarry-live").textContent;

  beforeEach(() => {
    shown.source.answer({ hits: [hit("a.md"), hit("b.md"), hit("c.md")] });
  });

  test("are chosen by keys, marked, announced, and released by Escape", () => {
    shown.press("ArrowDown", { shiftKey: true });

    expect([chosen(), shown.selected(), announced()]).toEqual([["a", "b"], ["a", "b"], "2 selected"]);
    expect([shown.press("Escape"), shown.press("Escape")]).toEqual([true, false]);
    expect([chosen(), shown.selected()]).toEqual([[], ["b"]]);
  });

  test("are opened by Enter and copied by Mod+C together", async () => {
    shown.press("ArrowDown", { shiftKey: true });
    shown.press("c", { ctrlKey: true });
    shown.press("Enter");
    await settled();

    expect(shown.copied).toEqual(["[[a.md]]\n[[b.md]]"]);
    expect(shown.opened).toEqual(["a.md", "b.md"]);
  });
});

test("a row that is dismissed is dimmed, and undone by its button", () => {
  shown.source.answer({ hits: [hit("a.md")] });
  shown.list.dispatch({ kind: "dismissed", path: "a.md", isDismissed: true });
  const dimmed = shown.el.querySelectorAll(".quarry-hit.is-dismissed").length;
  one(shown.el, ".quarry-undo").click();

  expect([dimmed, shown.el.querySelectorAll(".quarry-hit.is-dismissed").length]).toEqual([1, 0]);
  expect(shown.source.asked).toEqual(["restored a.md"]);
});
