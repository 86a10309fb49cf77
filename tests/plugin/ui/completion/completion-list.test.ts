// @vitest-environment jsdom
import { emptyBody, key, one, texts } from "../dom";
import { beforeEach, describe, expect, test } from "vitest";
import { type CompletionList, completionList } from "../../../../plugin/ui/completion/completion-list";

let input: HTMLInputElement;
let el: HTMLElement;
let list: CompletionList;
let accepted: string[];
let counted: number;

beforeEach(() => {
  input = emptyBody().createEl("input");
  el = document.body.createDiv({ cls: "is-hidden", attr: { id: "suggestions" } });
  accepted = [];
  counted = 0;
  list = completionList(el, input, {
    names: () => {
      counted += 1;
      return { folders: [["My notes", 1]], tags: [["howto", 2], ["idea", 1]], properties: [], valuesOf: () => [] };
    },
    accepted: () => {
      accepted.push(input.value);
      list.update();
    },
    deactivated: () => { input.setAttrs({ "aria-controls": "rows", "aria-activedescendant": "row" }); },
  });
  input.addEventListener("keydown", (event) => {
    if (list.handleKey(event)) event.preventDefault();
  });
});

function type(text: string, caret = text.length): void {
  input.value = text;
  input.setSelectionRange(caret, caret);
  list.update();
}

const isOpen = (): boolean => !el.hasClass("is-hidden");
const labels = (): string[] => texts(el, ".quarry-completion-label");
const isTaken = (name: string, modifiers: KeyboardEventInit = {}): boolean => key(input, name, modifiers).defaultPrevented;

describe("keys", () => {
  test("Tab takes the first, and what comes next is offered at once", () => {
    type("glue -ta");
    key(input, "Tab");

    expect(input.value).toBe("glue -tag:");
    expect(labels()).toEqual(["howto", "idea"]);
    expect(accepted).toEqual(["glue -tag:"]);
  });

  test("the arrows go through the values of an operator, and Enter takes the one they marked", () => {
    type("tag:");
    const enterBefore = isTaken("Enter");
    key(input, "ArrowDown");
    key(input, "ArrowDown");
    key(input, "ArrowDown");
    const marked = texts(el, '[aria-selected="true"] .quarry-completion-label');
    key(input, "Enter");

    expect(enterBefore).toBe(false);
    expect(marked).toEqual(["idea"]);
    expect(input.value).toBe("tag:idea ");
    expect(isOpen()).toBe(false);
  });

  test("a mere word that could be an operator leaves the arrows and Enter to the rows", () => {
    type("task");

    expect(isOpen()).toBe(true);
    expect(["ArrowDown", "ArrowUp", "Enter"].map((name) => isTaken(name))).toEqual([false, false, false]);
  });

  test("Escape closes it first, and only it", () => {
    type("tag:");

    expect([isTaken("Escape"), isTaken("Escape")]).toEqual([true, false]);
    expect(input.value).toBe("tag:");
  });

  test("Tab without suggestions goes where it always goes", () => {
    type("glue");

    expect(isTaken("Tab")).toBe(false);
    type("tag:");
    expect([isTaken("Tab", { shiftKey: true }), isTaken("Tab", { isComposing: true })]).toEqual([false, false]);
  });

  test("all that can be typed is shown anywhere", () => {
    type("glue ");
    list.openAll();
    key(input, "ArrowDown");
    key(input, "Enter");

    expect(input.value).toBe("glue tag:");
  });
});

test("what is accepted goes to the caret, and leaves what stands behind it", () => {
  type("fo backoff", 2);
  key(input, "Tab");

  expect(input.value).toBe("folder: backoff");
  expect(input.selectionStart).toBe(7);
});

test("a pair of signs is put around the caret", () => {
  type("");
  list.openAll();
  const option = [...el.children].find(({ textContent }) => textContent.startsWith('"…"')) as HTMLElement;
  option.click();

  expect([input.value, input.selectionStart]).toEqual(['""', 1]);
});

test("all operators stand in sections, a few suggestions in none", () => {
  type("");
  list.openAll();
  const sections = [...el.querySelectorAll(".quarry-completion-section")].map(({ textContent }) => textContent);
  const isSheet = el.hasClass("is-sheet");
  type("ta");

  expect(sections).toEqual(["Where", "What", "When", "Logic"]);
  expect([isSheet, el.hasClass("is-sheet")]).toEqual([true, false]);
});

test("pressing the mouse on a suggestion leaves the focus in the box", () => {
  type("tag:");
  const event = new MouseEvent("mousedown", { bubbles: true, cancelable: true });
  one(el, ".quarry-completion").dispatchEvent(event);

  expect(event.defaultPrevented).toBe(true);
});

test("a screen reader follows the mark, and is back with the rows after it", () => {
  type("tag:");
  key(input, "ArrowDown");
  list.restoreAria(); // rows that come meanwhile do not take the word from it
  const marked = document.getElementById(input.getAttribute("aria-activedescendant") ?? "");
  const controls = input.getAttribute("aria-controls");
  key(input, "ArrowUp");

  expect([marked?.getAttribute("role"), marked?.parentElement, controls]).toEqual(["option", el, "suggestions"]);
  expect(el.getAttribute("role")).toBe("listbox");
  expect(input.getAttribute("aria-activedescendant")).toBe("row");
});

test("the vault is counted once while the box is in use", () => {
  type("tag:");
  type("tag:h");
  type("tag:x");
  type("folder:");
  const before = counted;
  list.close();
  type("tag:");

  expect([before, counted]).toEqual([1, 2]);
});

test("hostile names stay text", () => {
  const evil = "<img src=x onerror=alert(1)>";
  list = completionList(el, input, { names: () => ({ folders: [], tags: [[evil, 1]], properties: [], valuesOf: () => [] }), accepted: () => undefined, deactivated: () => undefined });
  type("tag:");

  expect(labels()).toEqual([evil]);
  expect(el.querySelector("img")).toBeNull();
});
