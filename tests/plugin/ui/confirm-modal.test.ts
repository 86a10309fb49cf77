// @vitest-environment jsdom
import "./dom";
import { App, ButtonComponent } from "obsidian";
import { expect, test, vi } from "vitest";
import { ConfirmModal } from "../../../plugin/ui/confirm-modal";

test("only the second button confirms", () => {
  const clicks: (() => unknown)[] = [];
  vi.spyOn(ButtonComponent.prototype, "onClick").mockImplementation(function (this: ButtonComponent, click) {
    clicks.push(click as () => unknown);
    return this;
  });
  const confirmed = vi.fn();
  new ConfirmModal(new App(), { title: "Open 12 notes?", confirm: "Open all" }, confirmed).onOpen();
  const counts = clicks.map((click) => {
    click();
    return confirmed.mock.calls.length;
  });

  expect(counts).toEqual([0, 1]);
});
