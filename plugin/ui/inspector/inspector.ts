/** Builds the index inspector for one vault: its view, its dialogs, and the entries in the menus of files and folders. */
import { type App, type Menu, Notice, type Plugin, type TAbstractFile, TFile, TFolder } from "obsidian";
import { type Clock } from "../../clock";
import { type TreeSource } from "../../inspector/tree";
import { type WayOut, excludingEntry } from "../../inspector/ways-out";
import { type CommandMap, type EngineActionId } from "../../pane/commands";
import { type Settings } from "../../protocol/messages";
import { type RpcClient } from "../../sidecar/client";
import { type Reply } from "../../sidecar/failure";
import { type Supervisor } from "../../sidecar/supervisor";
import { failureWords } from "../../i18n/engine";
import { t } from "../../i18n/translate";
import { openSettings } from "../../actions";
import { confirmDialog } from "../dialogs/modals";
import { addMenuItem } from "../list/elements";
import { FilePicker, reportDialog } from "./report-modal";

export const INSPECTOR_VIEW = "quarry-inspector";
const PATIENCE_MS = 60_000; // a vault on a network drive takes that long to be walked over

export interface InspectorOutside {
  readonly app: App;
  readonly client: RpcClient;
  readonly supervisor: Supervisor;
  readonly clock: Clock;
  readonly commands: CommandMap<EngineActionId>;
  readonly rebuild: () => void;
}

export class Inspector {
  readonly source: TreeSource;
  /** As of the last reply: a menu cannot wait for one. */
  #settings: Settings | null = null;

  constructor(readonly outside: InspectorOutside) {
    const { client } = outside;
    this.source = {
      folders: (params) => client.call("inspect/folders", params, PATIENCE_MS),
      notes: (params) => client.call("inspect/notes", params, PATIENCE_MS),
    };
  }

  register(plugin: Plugin): void {
    const { app, supervisor } = this.outside;
    plugin.registerEvent(app.workspace.on("file-menu", (menu, file, source) => { if (!source.startsWith("quarry-")) this.addTo(menu, file); }));
    // The settings may be changed by hand as well; a comparison with the vault follows then.
    let state: string | undefined;
    const read = (): void => {
      const now = supervisor.state.kind === "live" ? supervisor.status?.state : undefined;
      if (now === "live" && state !== "live") void this.readSettings();
      state = now;
    };
    plugin.register(supervisor.changed.listen(read));
    plugin.register(supervisor.statusChanged.listen(read));
  }

  async open(): Promise<void> {
    const { workspace } = this.outside.app;
    const [present] = workspace.getLeavesOfType(INSPECTOR_VIEW);
    const leaf = present ?? workspace.getLeaf("tab");
    if (!present) await leaf.setViewState({ type: INSPECTOR_VIEW, active: true });
    await workspace.revealLeaf(leaf);
    workspace.setActiveLeaf(leaf, { focus: true });
  }

  /** Asks for a note and reports why it is not found; with a path, at once. */
  why(path?: string): void {
    if (path !== undefined) void this.#report(path);
    else new FilePicker(this.outside.app, (file) => void this.#report(file.path)).open();
  }

  confirmRebuild(): void {
    const { app, rebuild } = this.outside;
    confirmDialog(app, { title: t("inspect.rebuild"), detail: t("inspect.rebuildHelp"), confirm: t("inspect.rebuild") }, rebuild).open();
  }

  async exclude(folder: string): Promise<void> {
    await this.#say(this.outside.client.call("settings/folders", { exclude: [folder] }), t("inspect.excluded", { folder }));
  }

  /** Remembers the settings for the menus of folders. */
  async readSettings(): Promise<void> {
    const reply = await this.outside.client.call("settings/read", {});
    if (reply.ok) this.#settings = reply.value;
  }

  addTo(menu: Menu, file: TAbstractFile): void {
    if (this.outside.supervisor.state.kind !== "live") return;
    const add = (title: string, icon: string, run: () => void): void => { addMenuItem(menu, title, icon, run, "quarry"); };
    if (file instanceof TFile) {
      add(t("inspect.why"), "circle-question-mark", () => { this.why(file.path); });
    } else if (file instanceof TFolder && !file.isRoot() && this.#settings) {
      const entry = excludingEntry(this.#settings, file.path);
      if (entry === null) add(t("inspect.exclude"), "eye-off", () => void this.exclude(file.path));
      else add(t("inspect.include", { folder: entry }), "eye", () => void this.#include(entry));
    }
  }

  async #include(folder: string): Promise<void> {
    await this.#say(this.outside.client.call("settings/folders", { include: [folder] }), t("inspect.included", { folder }));
  }

  async #report(path: string): Promise<void> {
    const reply = await this.outside.client.call("inspect/note", { path }, PATIENCE_MS);
    if (!reply.ok) new Notice(failureWords(reply.failure));
    else reportDialog(this.outside.app, reply.value, (way, of) => void this.takeWayOut(way, of)).open();
  }

  /** Does what gets a note found, and notifies the user. */
  async takeWayOut(way: WayOut, path: string): Promise<void> {
    const { app, client, commands } = this.outside;
    switch (way.kind) {
      case "include":
        return this.#include(way.folder);
      case "index-templates":
        return this.#say(client.call("settings/write", { indexTemplates: true }), "");
      case "retry": {
        const reply = await client.call("vault/changed", { changes: [{ kind: "modified", path }] });
        new Notice(reply.ok ? t("inspect.retrying") : failureWords(reply.failure));
        return;
      }
      case "open":
        return app.workspace.openLinkText(path, "", "tab");
      case "open-settings":
        commands["open-settings"]();
        return;
      case "open-app-settings":
        openSettings(app, "file"); // lists the excluded files
    }
  }

  async #say(change: Promise<Reply<Settings>>, done: string): Promise<void> {
    const reply = await change;
    if (reply.ok) this.#settings = reply.value;
    const text = reply.ok ? done : failureWords(reply.failure);
    if (text !== "") new Notice(text);
  }
}
