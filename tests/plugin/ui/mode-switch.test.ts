// @vitest-environment jsdom
import { emptyBody, one, texts } from "./dom";
import { expect, test } from "vitest";
import { type Mode } from "../../../plugin/protocol/messages";
import { ModeSwitch } from "../../../plugin/ui/mode-switch";

test("one button is pressed, and pressing another one selects its mode", () => {
  const el = emptyBody().createDiv();
  const selected: Mode[] = [];
  const modes = new ModeSwitch(el, (mode) => selected.push(mode));
  modes.show("hybrid");
  one(el, '[data-mode="keyword"]').click();
  modes.show("keyword");

  expect(selected).toEqual(["keyword"]);
  expect(texts(el, "button")).toEqual(["Both", "Words", "Meaning"]);
  expect(texts(el, '[aria-pressed="true"]')).toEqual(["Words"]);
  expect(one(el, '[role="group"]').getAttribute("aria-label")).toBe("Search mode");
});
