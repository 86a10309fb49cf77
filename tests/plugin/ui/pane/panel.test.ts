// @vitest-environment jsdom
import { beforeEach, expect, test } from "vitest";
import { actionOf } from "../../../../plugin/i18n/actions";
import { type PanelWords } from "../../../../plugin/i18n/panels";
import { type ActionId } from "../../../../plugin/pane/commands";
import { showPanel } from "../../../../plugin/ui/pane/panel";
import { emptyBody, one, texts } from "../dom";

const WORDS: PanelWords = {
  title: "Not installed",
  detail: "In three steps.",
  steps: [{ text: "Download it.", url: "obsidian://x" }, { text: "Run this.", command: "uv tool install x" }, { text: "Or this.", command: "pipx install x" }],
  hasWayOut: true,
  actions: [actionOf("check-again"), actionOf("open-settings")],
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

test("shows title, detail, numbered steps with their commands or pages, and actions, of which the first stands out", () => {
  show(WORDS);

  expect(texts(el, ".quarry-panel-title, .quarry-panel-detail, ol > li > div:first-child, code")).toEqual(["Not installed", "In three steps.", "Download it.", "Run this.", "uv tool install x", "Or this.", "pipx install x"]);
  expect(one(el, "li a").getAttribute("href")).toBe("obsidian://x");
  expect(texts(el, ".mod-cta")).toEqual(["Check again"]);
});

test("the end of a log is shown as it is", () => {
  show({ ...WORDS, log: ["<b>the disk</b>", "is on fire"] });

  expect(one(el, ".quarry-panel-log").textContent).toBe("<b>the disk</b>\nis on fire");
});

test("every command can be copied, and every button runs its action", () => {
  show(WORDS);
  for (const button of el.querySelectorAll<HTMLElement>("li button")) button.click();
  for (const button of el.querySelectorAll<HTMLElement>("[data-action]")) button.click();

  expect(copied).toEqual(["uv tool install x", "pipx install x"]);
  expect(acted).toEqual(["check-again", "open-settings"]);
});
