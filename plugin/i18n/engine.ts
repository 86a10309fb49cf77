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
/** What pastes into a terminal. */
const PASTE = { darwin: "⌘V", linux: "Ctrl+Shift+V", win32: "Ctrl+V" } as const;

/**
 * Where the file is: the plugin's own page, which links to its releases. To be replaced by the address of the releases once
 * there is one (docs/RELEASING.md).
 */
export const RELEASES = "obsidian://show-plugin?id=quarry";

/** A thing to do, with the command to paste or the page to open for it. */
export interface Step {
  readonly text: string;
  readonly command?: string;
  readonly url?: string;
}

type Missing = Pick<Extract<EngineState, { kind: "missing" }>, "platform" | "installers">;

/** How to install the engine with what is on this computer, for somebody who has never opened a terminal. */
export function installSteps({ platform, installers }: Missing): readonly Step[] {
  const system = platform === WINDOWS || platform === "darwin" ? platform : "linux";
  const keys = PASTE[system];
  const installer = (["uv", "pipx"] as const).find((name) => installers.includes(name));
  const get = uvInstaller(platform, installers);
  return [
    ...(PACKAGE === null ? [{ text: t("engine.stepDownload", { file: FILE }), url: RELEASES }] : []),
    { text: t(`engine.stepTerminal-${system}`) },
    ...(installer === undefined ? [{ text: t(`engine.stepUv-${get === "powershell" ? "shell" : get}`, { keys }), command: GET_UV[get] }] : []),
    { text: t(installer === undefined ? "engine.stepInstallAgain" : "engine.stepInstall", { keys }), command: installCommand(installer ?? "uv", platform) },
    { text: t("engine.stepReturn") },
  ];
}

/** How to put this version's engine in place of another. */
export function updateSteps(): readonly Step[] {
  const [uv, pipx] = PACKAGE === null ? [`uv tool install --force ${FILE}`, `pipx install --force ${FILE}`] : [`uv tool upgrade ${PACKAGE}`, `pipx upgrade ${PACKAGE}`];
  return [
    ...(PACKAGE === null ? [{ text: t("engine.stepDownload", { file: FILE }), url: RELEASES }] : []),
    { text: t("engine.stepUpdate", { installer: "uv" }), command: uv },
    { text: t("engine.stepUpdate", { installer: "pipx" }), command: pipx },
  ];
}

function installCommand(installer: "uv" | "pipx", platform: string): string {
  const downloads = platform === WINDOWS ? `"$HOME\\Downloads\\${FILE}"` : `~/Downloads/${FILE}`;
  return `${installer === "uv" ? "uv tool install" : "pipx install"} ${PACKAGE ?? downloads}`;
}

function uvInstaller(platform: string, installers: readonly Installer[]): keyof typeof GET_UV {
  if (platform === WINDOWS) return installers.includes("winget") ? "winget" : "powershell";
  return installers.includes("brew") ? "brew" : "shell";
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
