/** A command for each saved search. They come and go with the stars, also with those that another device syncs. */
import { type Plugin } from "obsidian";
import { t } from "./i18n/translate";

const MAX_NAME = 80; // characters of a query in the command palette

export class SavedCommands {
  private known: readonly string[] = [];

  constructor(
    private readonly plugin: Pick<Plugin, "addCommand" | "removeCommand">,
    private readonly open: (query: string) => void,
  ) {}

  update(saved: readonly string[]): void {
    for (const query of this.known) if (!saved.includes(query)) this.plugin.removeCommand(idOf(query));
    for (const query of saved) {
      if (this.known.includes(query)) continue;
      const name = query.length > MAX_NAME ? `${query.slice(0, MAX_NAME)}…` : query;
      this.plugin.addCommand({ id: idOf(query), name: t("command.saved", { query: name }), icon: "star", callback: () => { this.open(query); } });
    }
    this.known = saved;
  }
}

/** Of the query itself, so that a hotkey stays with it on every device. */
function idOf(query: string): string {
  return `saved:${query}`;
}
