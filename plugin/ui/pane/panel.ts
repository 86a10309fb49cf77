/** The block that describes the state of the pane and offers actions, drawn from `PanelWords`. */
import { type Step } from "../../i18n/engine";
import { type PanelWords } from "../../i18n/panels";
import { t } from "../../i18n/translate";
import { type ActionId, type CommandMap } from "../../pane/commands";
import { type PaneModel } from "../../pane/model";
import { isToDraw } from "../list/elements";
import { type Surroundings } from "../list/result-list";

export interface PanelHandlers {
  readonly act: (action: ActionId) => void;
  readonly copy: (text: string) => void;
}

/** Shows a panel in `el`; null: there is none. Progress comes several times a second: a button is not replaced while it is pressed. */
export function showPanel(el: HTMLElement, words: PanelWords | null, { act, copy }: PanelHandlers): void {
  if (!isToDraw(el, words)) return;
  el.empty();
  el.toggleClass("is-hidden", words === null);
  if (!words) return;
  const { title, detail, steps = [], program, log = [], actions, hasWayOut } = words;
  el.createDiv({ cls: "quarry-panel-title", text: title });
  if (detail !== "") el.createDiv({ cls: "quarry-panel-detail", text: detail });
  if (steps.length > 0) showSteps(el.createEl("ol", { cls: "quarry-panel-steps" }), steps, copy);
  if (program !== undefined) codeRow(el, program);
  if (log.length > 0) el.createEl("pre", { cls: "quarry-panel-log", text: log.join("\n"), attr: { dir: "ltr" } });
  const row = el.createDiv({ cls: "quarry-panel-actions" });
  for (const [at, { id, label }] of actions.entries()) {
    const button = row.createEl("button", { text: label, attr: { "data-action": id } });
    button.toggleClass("mod-cta", hasWayOut && at === 0);
    button.addEventListener("click", () => { act(id); });
  }
}

/** A numbered line for each step, with the button that does it. */
function showSteps(list: HTMLElement, steps: readonly Step[], copy: (text: string) => void): void {
  for (const { text, command, url } of steps) {
    const item = list.createEl("li");
    item.createDiv({ text });
    if (url !== undefined) item.createEl("a", { cls: "quarry-link", text: t("engine.openPage"), href: url });
    if (command === undefined) continue;
    const button = codeRow(item, command).createEl("button", { text: t("engine.copy"), attr: { "aria-label": t("engine.copyCommand", { command }) } });
    button.addEventListener("click", () => { copy(command); });
  }
}

function codeRow(parent: HTMLElement, text: string): HTMLElement {
  const row = parent.createDiv({ cls: "quarry-panel-command" });
  row.createEl("code", { text });
  return row;
}

/** What can be done in a place; buttons for anything else are left out. */
export type PlaceCommands = Partial<CommandMap<ActionId>>;

/** What is around a list that has a panel alone: `words` are shown before its rows. */
export function panelAround(parent: HTMLElement, commands: PlaceCommands, copy: (text: string) => void, words: (model: PaneModel) => PanelWords | null): Surroundings {
  const el = parent.createDiv({ cls: "quarry-panel is-hidden" });
  const handlers: PanelHandlers = { act: (action) => { commands[action]?.(); }, copy };
  return {
    show: (model) => {
      const shown = words(model);
      showPanel(el, shown && { ...shown, actions: shown.actions.filter(({ id }) => commands[id]) }, handlers);
    },
  };
}
