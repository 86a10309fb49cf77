/** What stands above the rows of a place that is not the pane: a panel, where the state asks for words. */
import { type ActionId, type CommandMap } from "../pane/commands";
import { type PaneModel } from "../pane/model";
import { type PanelWords } from "../i18n/panels";
import { Panel } from "./panel";
import { type Surroundings } from "./result-list";

/** What can be done in a place; buttons for anything else are left out. */
export type PlaceCommands = Partial<CommandMap<ActionId>>;

export class StatePanel implements Surroundings {
  private readonly panel: Panel;

  constructor(
    parent: HTMLElement,
    private readonly commands: PlaceCommands,
    copy: (text: string) => void,
    private readonly words: (model: PaneModel) => PanelWords | null,
  ) {
    const el = parent.createDiv({ cls: "quarry-panel is-hidden" });
    this.panel = new Panel(el, { act: (action) => { commands[action]?.(); }, copy });
  }

  show(model: PaneModel): void {
    const words = this.words(model);
    this.panel.show(words && { ...words, actions: words.actions.filter(({ id }) => this.commands[id]) });
  }
}
