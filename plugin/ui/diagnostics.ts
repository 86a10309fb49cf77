/** The diagnostics for a bug report: states and counts; no note text, query, token or user name. */
import { Platform, apiVersion } from "obsidian";
import { type ObservableEngine } from "../pane/state";
import { reportText } from "../i18n/failures";

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
      ["Deepening", status.deepening ? `${status.deepening.state}, ${status.deepening.doneChunks} of ${status.deepening.totalChunks} chunks` : "none"],
      ["Missing", status.missing.map(({ leg, reason }) => `${leg}: ${withoutUser(reason)}`).join("; ") || "nothing"],
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
