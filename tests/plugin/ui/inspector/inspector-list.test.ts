// @vitest-environment jsdom
import { emptyBody, key, one, removedBy, texts } from "../dom";
import { beforeEach, expect, test } from "vitest";
import { type TreeRow } from "../../../../plugin/inspector/tree";
import { type InspectorList, inspectorList } from "../../../../plugin/ui/inspector/inspector-list";

const counts = { indexed: 2, partial: 0, hidden: 0, waiting: 0, excluded: 0, failed: 1, withoutVectors: 0 };
const folder = (path: string, isOpen = false, level = 1): TreeRow => ({ kind: "folder", level, isOpen, folder: { path, counts, folderCount: 0, excludedBy: null } });
const note = (path: string, level = 1): TreeRow => ({ kind: "note", level, withFolder: false, note: { path, state: "indexed", reason: null } });

let el: HTMLElement;
let list: InspectorList;
let entered: TreeRow[];

beforeEach(() => {
  el = emptyBody().createDiv();
  entered = [];
  list = inspectorList(el, { enter: (row) => entered.push(row), menu: () => undefined });
});

test("rows have a role, a level, a name and a state; one of them takes the focus by Tab", () => {
  list.show([folder("a", true), note("a/<b>.md", 2)]);

  const [first, second] = [...el.children];
  expect(first?.getAttribute("aria-expanded")).toBe("true");
  expect(second?.getAttribute("aria-level")).toBe("2");
  expect(second?.hasAttribute("aria-expanded")).toBe(false);
  expect(texts(el, ".quarry-inspect-text")).toEqual(["a", "<b>"]);
  expect(texts(el, ".quarry-inspect-facts")).toEqual(["1 failed"]);
  expect(el.querySelectorAll('.quarry-inspect-row[tabindex="0"]')).toHaveLength(1);
});

test("the arrows walk, open and close", () => {
  const rows = [folder("a", true), note("a/b.md", 2), folder("c")];
  list.show(rows);
  list.focus();
  for (const name of ["ArrowDown", "ArrowLeft", "ArrowLeft", "End", "ArrowRight", "Enter"]) key(document.activeElement as HTMLElement, name);

  expect(entered).toEqual([rows[0], rows[2], rows[2]]);
  expect(document.activeElement?.getAttribute("data-key")).toBe("f:c");
});

test("what did not change is not drawn again, and the focus stays on a row that did", () => {
  list.show([folder("a"), note("b.md")]);
  list.focus();

  expect(removedBy(el, () => { list.show([folder("a"), note("b.md"), note("c.md")]); })).toBe(0);
  list.show([folder("a", true), note("a/1.md", 2), note("b.md")]);
  expect(document.activeElement).toBe(one(el, '[data-key="f:a"]'));
});
