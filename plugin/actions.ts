/** Actions of buttons and commands that concern the engine, the settings or the clipboard rather than one pane. */
import { type App, Notice, type PluginManifest } from "obsidian";
import { type DiagnosticLog } from "./diagnostic-log";
import { type RpcClient } from "./sidecar/client";
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
  client: RpcClient,
  supervisor: Supervisor,
  diagnosticLog: DiagnosticLog,
): Actions {
  const copy = (text: string): void => {
    void navigator.clipboard.writeText(text).then(() => new Notice(TEXT.notices.copied));
  };
  const change = async (method: "index/pause" | "index/resume" | "index/rebuild", done: string): Promise<void> => {
    const reply = await client.call(method, {});
    if (reply.ok) supervisor.setStatus(reply.value);
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
        copy(diagnostics({ pluginVersion: manifest.version, engine: supervisor, program, engineLog: log, pluginLog: diagnosticLog.text }));
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
        return; // the pane handles these itself
    }
  };
  return { act, copy, rebuild: () => void change("index/rebuild", TEXT.notices.rebuilding) };
}

/** Opens the plugin's settings tab. The API is undocumented: in a version without it nothing happens. */
function openSettings(app: App, id: string): void {
  const { setting } = app as unknown as { setting?: { open?: () => void; openTabById?: (id: string) => void } };
  setting?.open?.();
  setting?.openTabById?.(id);
}
