/** Actions of buttons and commands that concern the engine, the settings or the clipboard rather than one pane. */
import { apiVersion, type App, Notice, Platform, type PluginManifest } from "obsidian";
import { type DiagnosticLog } from "./diagnostic-log";
import { failureWords, reportText } from "./i18n/engine";
import { say, t } from "./i18n/translate";
import { type CommandMap, type EngineActionId } from "./pane/commands";
import { type ObservableEngine } from "./pane/state";
import { type RpcClient } from "./sidecar/client";
import { type Supervisor } from "./sidecar/supervisor";

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
    restart: () => { supervisor.start(); },
    "check-again": () => { supervisor.start(); },
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

/** Opens a tab of the settings. The API is undocumented: in a version without it nothing happens. */
export function openSettings(app: App, id: string): void {
  const { setting } = app as unknown as { setting?: { open?: () => void; openTabById?: (id: string) => void } };
  setting?.open?.();
  setting?.openTabById?.(id);
}

export interface DiagnosticsInput {
  readonly pluginVersion: string;
  readonly engine: ObservableEngine;
  readonly program: { readonly path: string; readonly version: string; readonly protocol: number } | null;
  /** The end of the engine's stderr. */
  readonly engineLog: string;
  /** The lines of the plugin's own log. */
  readonly pluginLog: string;
}

export function diagnostics({ pluginVersion, engine, program, engineLog, pluginLog }: DiagnosticsInput): string {
  const { state, status } = engine;
  const facts: (readonly [string, string])[] = [
    ["Plugin", pluginVersion],
    ["Obsidian", `${apiVersion} on ${systemName()}`],
    ["Engine", program ? `${withoutUser(program.path)} ${program.version} (protocol ${program.protocol})` : "none started"],
    ["State", state.kind],
  ];
  if ("failure" in state) facts.push(["Failure", withoutUser(JSON.stringify(state.failure))]);
  if ("tried" in state) facts.push(["Tried", withoutUser(state.tried.join(", "))]);
  if (status) {
    facts.push(
      ["Index", `${status.state}, ${status.notes} notes, ${status.chunks} chunks, ${status.pending} pending, ${status.sizeBytes} bytes`],
      ["Model", `${withoutUser(status.model.name)} ${status.model.state}`],
      ["Backfill", status.backfill ? `${status.backfill.state}, ${status.backfill.doneChunks} of ${status.backfill.totalChunks} chunks` : "none"],
      ["Missing", status.missing.map(({ retriever, reason }) => `${retriever}: ${withoutUser(say(reason))}`).join("; ") || "nothing"],
      ["Problems", String(status.problemCount)],
    );
  }
  if (pluginLog !== "") facts.push(["Plugin log", pluginLog]);
  return reportText(facts, withoutUser(engineLog));
}

function systemName(): string {
  if (Platform.isMacOS) return "macOS";
  return Platform.isWin ? "Windows" : "Linux";
}

/** `text` with home folders, which contain the user's name, replaced by `~`. */
export function withoutUser(text: string): string {
  return text.replace(/(\/home\/|\/Users\/|[A-Za-z]:[\\/]+Users[\\/]+)[^\\/\s"':]+/g, "~");
}
