/** Failures in words, and how to install or update the engine while there is none. Pure. */
import { version } from "../../manifest.json";
import { type Answer } from "../search/answer";
import { type Failure, type StartFailure } from "../sidecar/failure";
import { type Installer } from "../sidecar/programs";
import { type EngineState } from "../sidecar/supervisor";
import { type Action, actionOf } from "./actions";
import { joinSentences, seconds } from "./formatting";
import { say, t, translated } from "./translate";

/**
 * The engine's name on the Python package index; null until that name is ours. A command that names a package which
 * anybody could register would install whatever they put there, so the file from the release is installed meanwhile.
 */
const PACKAGE: string | null = null;
const FILE = `quarry_search-${version}-py3-none-any.whl`; // the plugin and the engine are released together

const WINDOWS = "win32";
const GET_UV = {
  brew: "brew install uv",
  winget: "winget install --id=astral-sh.uv -e",
  powershell: 'powershell -ExecutionPolicy ByPass -c "irm https://astral.sh/uv/install.ps1 | iex"',
  shell: "curl -LsSf https://astral.sh/uv/install.sh | sh",
} as const;

export interface InstallWords {
  /** A line for each step. */
  readonly detail: string;
  /** To be run in this order or, where there are two installers, either of them. */
  readonly commands: readonly string[];
}

type Missing = Pick<Extract<EngineState, { kind: "missing" }>, "platform" | "installers">;

/** How to install the engine with what is on this computer. */
export function installWords({ platform, installers }: Missing): InstallWords {
  const there = (["uv", "pipx"] as const).filter((installer) => installers.includes(installer));
  const [first, second] = there.map((installer) => installCommand(installer, platform));
  const download = PACKAGE === null ? t("engine.download", { file: FILE }) : "";
  const say = (...steps: readonly string[]): string => [t("engine.what"), ...steps, t("engine.noticed")].filter((step) => step !== "").join("\n");
  if (first === undefined) {
    return { detail: say(t("engine.getUv", { installer: "uv" }), download, t("engine.runSecond")), commands: [uvCommand(platform, installers), installCommand("uv", platform)] };
  }
  if (second === undefined) return { detail: say(download, t("engine.run")), commands: [first] };
  return { detail: say(download, t("engine.runEither")), commands: [first, second] };
}

/** How to put this version's engine in place of another. */
export function updateWords(): InstallWords {
  if (PACKAGE !== null) return { detail: "", commands: [`uv tool upgrade ${PACKAGE}`, `pipx upgrade ${PACKAGE}`] };
  return { detail: t("engine.downloadFirst", { file: FILE }), commands: [`uv tool install --force ${FILE}`, `pipx install --force ${FILE}`] };
}

function installCommand(installer: "uv" | "pipx", platform: string): string {
  const downloads = platform === WINDOWS ? `"$HOME\\Downloads\\${FILE}"` : `~/Downloads/${FILE}`;
  return `${installer === "uv" ? "uv tool install" : "pipx install"} ${PACKAGE ?? downloads}`;
}

function uvCommand(platform: string, installers: readonly Installer[]): string {
  if (platform === WINDOWS) return installers.includes("winget") ? GET_UV.winget : GET_UV.powershell;
  return installers.includes("brew") ? GET_UV.brew : GET_UV.shell;
}

/** What the way out is called; null: no more than details. Nothing leads out of the other states. */
const WAYS_OUT: Partial<Record<EngineState["kind"], "install" | "start" | "update" | null>> = {
  missing: "install",
  unapproved: "start",
  outdated: "update",
  occupied: null,
  failed: null,
};

export interface ScopeWords {
  readonly text: string;
  readonly tip: string;
  readonly action: Action | null;
}

/** The line above rows that were found by names alone. */
export function scopeWords(engine: EngineState["kind"], { hits, byNames }: Pick<Answer, "hits" | "byNames">): ScopeWords {
  const ignored = (byNames?.ignored ?? []).join(" ");
  const way = WAYS_OUT[engine];
  const help = actionOf("engine-help");
  const isEmpty = hits.length === 0;
  const key = isEmpty ? "noNames" : "namesOnly";
  return {
    text: ignored === "" ? t(`engine.${key}`) : t(`engine.${key}Without`, { ignored }),
    tip: t(`engine.because-${engine}`),
    action: way === undefined || isEmpty ? null : way === null ? help : { ...help, label: t(`engine.${way}`) },
  };
}

export function failureWords(failure: Failure): string {
  switch (failure.kind) {
    case "not-connected":
    case "disconnected":
      return t("failure.disconnected");
    case "timed-out":
      return t("failure.timed-out", { count: seconds(failure.afterMs) });
    case "cancelled":
      return t("failure.cancelled");
    case "bad-query":
      return failure.sentence ? joinSentences(say(failure.sentence)) : joinSentences(failure.message, failure.next);
    case "refused": {
      const detail = joinSentences(failure.message, failure.next);
      return translated(`failure.refused.${failure.reason}`, { detail }) ?? t("failure.refused.other", { detail });
    }
  }
}

export function startFailureWords(failure: StartFailure): string {
  switch (failure.kind) {
    case "not-runnable":
      return t("failure.not-runnable", { program: failure.program, message: failure.message });
    case "silent":
      return t("failure.silent", { count: seconds(failure.afterMs) });
    case "garbled":
      return t("failure.garbled", { line: failure.line });
    case "exited":
      return failure.signal === null ? t("failure.exited", { code: String(failure.code ?? "?") }) : t("failure.killed", { signal: failure.signal });
    case "vault-missing":
    case "index-too-new":
    case "unreachable":
      return t(`failure.${failure.kind}`);
  }
}

/** The diagnostics as text, one fact per line. In English: they are written for those who read bug reports. */
export function reportText(facts: readonly (readonly [string, string])[], log: string): string {
  const lines = facts.map(([label, value]) => `${label}: ${value}`);
  return [...lines, "", "Engine log:", log.trim() === "" ? "(none)" : log.trim()].join("\n");
}
