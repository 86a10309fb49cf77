/** What a button or command does to the engine or with the clipboard, wherever it is pressed. */
import { type App, Notice, type PluginManifest } from "obsidian";
import { type Journal } from "./journal";
import { type Client } from "./sidecar/client";
import { type Supervisor } from "./sidecar/supervisor";
import { diagnostics } from "./ui/diagnostics";
import { type ActionId, TEXT, failureWords } from "./ui/wording";

export interface Actions {
  readonly act: (action: ActionId) => void;
  readonly rebuild: () => void;
  readonly copy: (text: string) => void;
}

export function createActions(
  app: App,
  manifest: PluginManifest,
  client: Client,
  supervisor: Supervisor,
  journal: Journal,
): Actions {
  const copy = (text: string): void => {
    void navigator.clipboard.writeText(text).then(() => new Notice(TEXT.notices.copied));
  };
  const change = async (method: "index/pause" | "index/resume" | "index/rebuild", done: string): Promise<void> => {
    const reply = await client.ask(method, {});
    if (reply.ok) supervisor.takeStatus(reply.value);
    new Notice(reply.ok ? done : failureWords(reply.failure));
  };
  const act = (action: ActionId): void => {
    switch (action) {
      case "restart":
      case "check-again":
        supervisor.restart();
        return;
      case "pause":
        void change("index/pause", TEXT.notices.paused);
        return;
      case "resume":
        void change("index/resume", TEXT.notices.resumed);
        return;
      case "copy-report": {
        const { program, log } = supervisor;
        copy(diagnostics({ pluginVersion: manifest.version, engine: supervisor, program, log, remarks: journal.text }));
        return;
      }
      case "open-settings":
        openSettings(app, manifest.id);
        return;
      case "clear-history":
      case "clear-query":
      case "copy-command":
      case "go-to-error":
      case "search-again":
      case "search-both":
      case "search-typed":
      case "show-operators":
        return; // these concern one pane, which does them itself
    }
  };
  return { act, copy, rebuild: () => void change("index/rebuild", TEXT.notices.rebuilding) };
}

/** Obsidian documents no way to open a plugin's tab; where the known one is gone, nothing happens. */
function openSettings(app: App, id: string): void {
  const { setting } = app as unknown as { setting?: { open?: () => void; openTabById?: (id: string) => void } };
  setting?.open?.();
  setting?.openTabById?.(id);
}
