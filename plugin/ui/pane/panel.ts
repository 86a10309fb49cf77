/** The block that describes the state of the pane and offers actions, drawn from `PanelWords`. */
import { setIcon, setTooltip } from "obsidian";
import { actionOf } from "../../i18n/actions";
import { type PanelWords } from "../../i18n/panels";
import { type ActionId, type CommandMap } from "../../pane/commands";
import { type PaneModel } from "../../pane/model";
import { type Surroundings } from "../list/result-list";

export interface PanelHandlers {
  readonly act: (action: ActionId) => void;
  readonly copy: (text: string) => void;
}

export class Panel {
  #shown = "";

  constructor(
    private readonly el: HTMLElement,
    private readonly handlers: PanelHandlers,
  ) {}

  show(words: PanelWords | null): void {
    // Progress arrives several times a second: a button must not be replaced while it is being pressed.
    const wanted = JSON.stringify(words);
    if (wanted === this.#shown) return;
    this.#shown = wanted;
    this.el.empty();
    this.el.toggleClass("is-hidden", words === null);
    if (words) this.#draw(words);
  }

  #draw({ title, detail, commands, log = [], actions, hasWayOut }: PanelWords): void {
    this.el.createDiv({ cls: "quarry-panel-title", text: title });
    if (detail !== "") this.el.createDiv({ cls: "quarry-panel-detail", text: detail });
    for (const command of commands) this.#drawCommand(command);
    if (log.length > 0) this.el.createEl("pre", { cls: "quarry-panel-log", text: log.join("\n"), attr: { dir: "ltr" } });
    const row = this.el.createDiv({ cls: "quarry-panel-actions" });
    const [first] = actions;
    for (const { id, label } of actions) {
      const button = row.createEl("button", { text: label, attr: { "data-action": id } });
      button.toggleClass("mod-cta", hasWayOut && id === first?.id);
      button.addEventListener("click", () => {
        this.handlers.act(id);
      });
    }
  }

  #drawCommand(command: string): void {
    const row = this.el.createDiv({ cls: "quarry-panel-command" });
    row.createEl("code", { text: command });
    const button = row.createEl("button", { cls: "clickable-icon" });
    setIcon(button, "copy");
    setTooltip(button, actionOf("copy-command").label);
    button.addEventListener("click", () => {
      this.handlers.copy(command);
    });
  }
}

/** What can be done in a place; buttons for anything else are left out. */
export type PlaceCommands = Partial<CommandMap<ActionId>>;

export class StatePanel implements Surroundings {
  readonly #panel: Panel;

  constructor(
    parent: HTMLElement,
    private readonly commands: PlaceCommands,
    copy: (text: string) => void,
    private readonly words: (model: PaneModel) => PanelWords | null,
  ) {
    const el = parent.createDiv({ cls: "quarry-panel is-hidden" });
    this.#panel = new Panel(el, { act: (action) => { commands[action]?.(); }, copy });
  }

  show(model: PaneModel): void {
    const words = this.words(model);
    this.#panel.show(words && { ...words, actions: words.actions.filter(({ id }) => this.commands[id]) });
  }
}
