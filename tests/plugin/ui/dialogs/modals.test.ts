// @vitest-environment jsdom
import { App, ButtonComponent } from "obsidian";
import { describe, expect, test, vi } from "vitest";
import "../dom";
import { BINDINGS, combinationsOf } from "../../../../plugin/pane/keys";
import { confirmDialog, explainDialog, keyDialog } from "../../../../plugin/ui/dialogs/modals";
import { texts } from "../dom";

describe("confirm modal", () => {
  test("only the second button confirms", () => {
    const clicks: (() => unknown)[] = [];
    vi.spyOn(ButtonComponent.prototype, "onClick").mockImplementation(function (this: ButtonComponent, click) {
      clicks.push(click as () => unknown);
      return this;
    });
    const confirmed = vi.fn();
    confirmDialog(new App(), { title: "Open 12 notes?", confirm: "Open all" }, confirmed);
    const counts = clicks.map((click) => {
      click();
      return confirmed.mock.calls.length;
    });

    expect(counts).toEqual([0, 1]);
  });
});

describe("explain modal", () => {
  const app = new (App as unknown as new () => App)();

  test("shows the message, the signals and the facts, as text", () => {
    const modal = explainDialog(app, "a.md", { message: "It ranks <b>1</b> of 3.", signals: [["Similarity in meaning", 0.75, "75%"]], facts: [["Words found", "glue"]] });

    expect(texts(modal.contentEl, "p, dt, dd")).toEqual(["It ranks <b>1</b> of 3.", "Similarity in meaning", "75%", "Words found", "glue"]);
    expect(modal.contentEl.querySelector("progress")?.value).toBe(0.75);
  });

  test("a note without a rank has no empty lists", () => {
    const modal = explainDialog(app, "a.md", { message: "It is excluded.", signals: [], facts: [] });

    expect(texts(modal.contentEl, "dl")).toEqual([]);
  });
});

describe("key sheet", () => {
  test("every key that has a meaning is listed", () => {
    const sheet = keyDialog(new App(), false);

    expect(texts(sheet.contentEl, "kbd")).toHaveLength(BINDINGS.flatMap((binding) => combinationsOf(binding, false)).length);
    expect(texts(sheet.contentEl, "dd")).toHaveLength(BINDINGS.length);
    expect(texts(sheet.contentEl, "kbd")).toContain("Ctrl + Alt + Enter");
  });
});
