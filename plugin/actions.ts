/** Actions of buttons and commands that concern the engine, the settings or the clipboard rather than one pane. */
import { type App, Notice, type PluginManifest } from "obsidian";
import { type DiagnosticLog } from "./diagnostic-log";
import { type RpcClient } from "./sidecar/client";
import { type Supervisor } from "./sidecar/supervisor";
import { diagnostics } from "./ui/diagnostics";
import { type CommandMap, type EngineActionId } from "./pane/commands";
import { failureWords } from "./i18n/failures";
import { t } from "./i18n/translate";

export interface Actions {
  readonly commands: CommandMap<EngineActionId>;
  readonly rebuild: () => void;
  /** Into the clipboard of `win`: a window may only write to its own while it has the focus. */
  readonly copy: (text: string, win?: Window) => void;
}

export function createActions(
  app: App,
  manifest: PluginManifest,
  client: RpcClient,
  supervisor: Supervisor,
  diagnosticLog: DiagnosticLog,
  openInspector: () => void,
): Actions {
  const copy = (text: string, win: Window = activeWindow): void => {
    const notify = (words: string): Notice => new Notice(words);
    win.navigator.clipboard.writeText(text).then(() => { notify(t("notice.copied")); }, () => { notify(t("write.notCopied")); });
  };
  const change = async (method: "index/pause" | "index/resume" | "index/rebuild", done: string): Promise<void> => {
    const reply = await client.call(method, {});
    if (reply.ok) supervisor.setStatus(reply.value);
    new Notice(reply.ok ? done : failureWords(reply.failure));
  };
  const commands: CommandMap<EngineActionId> = {
    restart: () => { supervisor.restart(); },
    "check-again": () => { supervisor.restart(); },
    pause: () => void change("index/pause", t("notice.paused")),
    resume: () => void change("index/resume", t("notice.resumed")),
    "copy-report": () => {
      const { program, log } = supervisor;
      copy(diagnostics({ pluginVersion: manifest.version, engine: supervisor, program, engineLog: log, pluginLog: diagnosticLog.text }));
    },
    "start-engine": () => { supervisor.approve(); },
    "decline-engine": () => { supervisor.decline(); },
    "open-inspector": openInspector,
    "open-settings": () => { openSettings(app, manifest.id); },
  };
  return { commands, copy, rebuild: () => void change("index/rebuild", t("notice.rebuilding")) };
}

/** Opens the plugin's settings tab. The API is undocumented: in a version without it nothing happens. */
function openSettings(app: App, id: string): void {
  const { setting } = app as unknown as { setting?: { open?: () => void; openTabById?: (id: string) => void } };
  setting?.open?.();
  setting?.openTabById?.(id);
}
