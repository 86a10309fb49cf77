// @vitest-environment jsdom
import { beforeEach, expect, test } from "vitest";
import { actionOf } from "../../../../plugin/i18n/actions";
import { type PanelWords } from "../../../../plugin/i18n/panels";
import { type ActionId } from "../../../../plugin/pane/commands";
import { showPanel } from "../../../../plugin/ui/pane/panel";
import { emptyBody, one, texts } from "../dom";

const WORDS: PanelWords = {
  title: "Not installed",
  detail: "Run one of these.",
  commands: ["uv tool install x", "pipx install x"],
  hasWayOut: true,
  actions: [actionOf("copy-command"), actionOf("check-again")],
};

let el: HTMLElement;
let acted: ActionId[];
let copied: string[];

beforeEach(() => {
  el = emptyBody().createDiv();
  acted = [];
  copied = [];
});

function show(words: PanelWords | null): void {
  showPanel(el, words, { act: (action) => acted.push(action), copy: (text) => copied.push(text) });
}

test("shows title, detail, commands and actions, of which the first stands out", () => {
  show(WORDS);

  expect(texts(el, ".quarry-panel-title, .quarry-panel-detail, code")).toEqual(["Not installed", "Run one of these.", "uv tool install x", "pipx install x"]);
  expect(texts(el, ".mod-cta")).toEqual(["Copy command"]);
});

test("the end of a log is shown as it is", () => {
  show({ ...WORDS, log: ["<b>the disk</b>", "is on fire"] });

  expect(one(el, ".quarry-panel-log").textContent).toBe("<b>the disk</b>\nis on fire");
});

test("every command can be copied, and every button runs its action", () => {
  show(WORDS);
  for (const icon of el.querySelectorAll<HTMLElement>(".clickable-icon")) icon.click();
  one(el, '[data-action="copy-command"]').click();
  one(el, '[data-action="check-again"]').click();

  expect(copied).toEqual(["uv tool install x", "pipx install x"]);
  expect(acted).toEqual(["copy-command", "check-again"]);
});
