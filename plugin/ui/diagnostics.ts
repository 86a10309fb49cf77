/** What to attach to a bug report: states and counts, no note text, no query, no token, no user name. */
import { Platform, apiVersion } from "obsidian";
import { type EngineWatch } from "./pane-state";
import { reportText } from "./wording";

export interface DiagnosticsInput {
  readonly pluginVersion: string;
  readonly engine: EngineWatch;
  readonly program: { readonly path: string; readonly version: string; readonly protocol: number } | null;
  /** The last lines of the engine's stderr. */
  readonly log: string;
  /** What the plugin itself noticed, a line each. */
  readonly remarks: string;
}

export function diagnostics({ pluginVersion, engine, program, log, remarks }: DiagnosticsInput): string {
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
      ["Missing", status.missing.map(({ leg, reason }) => `${leg}: ${withoutUser(reason)}`).join("; ") || "nothing"],
      ["Problems", String(status.problemCount)],
    );
  }
  if (remarks !== "") facts.push(["Noticed", remarks]);
  return reportText(facts, withoutUser(log));
}

function systemName(): string {
  if (Platform.isMacOS) return "macOS";
  return Platform.isWin ? "Windows" : "Linux";
}

/** Home folders carry the user's name. */
export function withoutUser(text: string): string {
  return text.replace(/(\/home\/|\/Users\/|[A-Za-z]:[\\/]+Users[\\/]+)[^\\/\s"':]+/g, "~");
}
