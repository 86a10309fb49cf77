/** What is said while there is no engine: how to install or update it, whether to start it, and what is searched meanwhile. Pure. */
import { version } from "../../manifest.json";
import { type Answer } from "../search/answer";
import { type Installer } from "../sidecar/program-paths";
import { type EngineState } from "../sidecar/supervisor";
import { type Action, actionOf } from "./actions";

/**
 * The engine's name on the Python package index; null until that name is ours. A command that names a package which
 * anybody could register would install whatever they put there, so the file from the release is installed meanwhile.
 */
const PACKAGE: string | null = null;
const WHEEL = `quarry_search-${version}-py3-none-any.whl`; // the plugin and the engine are released together

const WINDOWS = "win32";
const GET_UV = {
  brew: "brew install uv",
  winget: "winget install --id=astral-sh.uv -e",
  powershell: 'powershell -ExecutionPolicy ByPass -c "irm https://astral.sh/uv/install.ps1 | iex"',
  shell: "curl -LsSf https://astral.sh/uv/install.sh | sh",
} as const;

export interface InstallWords {
  readonly detail: string;
  /** To be run in this order, or, where there are two installers, either of them. */
  readonly commands: readonly string[];
}

type Missing = Pick<Extract<EngineState, { kind: "missing" }>, "platform" | "installers">;

/** How to install the engine with what is on this computer. */
export function installWords({ platform, installers }: Missing): InstallWords {
  const there = (["uv", "pipx"] as const).filter((installer) => installers.includes(installer));
  const commands = (there.length === 0 ? (["uv"] as const) : there).map((installer) => installCommand(installer, platform));
  const about = "Quarry uses a separate program that runs on this computer.";
  const file = PACKAGE === null ? `Download ${WHEEL} from the plugin's release page` : "Open a terminal";
  const noticed = "Quarry notices when it is there.";
  if (there.length > 0) {
    const which = there.length > 1 ? "one of these commands" : "this command";
    return { detail: `${about} ${file}, then run ${which} in a terminal. ${noticed}`, commands };
  }
  const detail = `${about} It is installed with uv, which was not found here: get uv with the first command. ${file}, then run the second command in a new terminal. ${noticed}`;
  return { detail, commands: [uvCommand(platform, installers), ...commands] };
}

/** Commands that put this version's engine in place of another. */
export function updateCommands(): readonly string[] {
  if (PACKAGE !== null) return [`uv tool upgrade ${PACKAGE}`, `pipx upgrade ${PACKAGE}`];
  return [`uv tool install --force ${WHEEL}`, `pipx install --force ${WHEEL}`];
}

/** Where the file for `updateCommands` comes from; empty where none is needed. */
export function updateHint(): string {
  return PACKAGE === null ? `Download ${WHEEL} from the plugin's release page first, and run the command in the folder that it is in.` : "";
}

function installCommand(installer: "uv" | "pipx", platform: string): string {
  const downloads = platform === WINDOWS ? `"$HOME\\Downloads\\${WHEEL}"` : `~/Downloads/${WHEEL}`;
  return `${installer === "uv" ? "uv tool install" : "pipx install"} ${PACKAGE ?? downloads}`;
}

function uvCommand(platform: string, installers: readonly Installer[]): string {
  if (platform === WINDOWS) return installers.includes("winget") ? GET_UV.winget : GET_UV.powershell;
  return installers.includes("brew") ? GET_UV.brew : GET_UV.shell;
}

export const ENGINE_TEXT = {
  question: "Start the search engine?",
  asked: "Quarry found the program below on this computer, where tools are usually installed. Start it only if you installed it. It will read the notes of this vault and run only on this computer. Quarry asks once for each program.",
  declined: "The search engine is not started",
  declinedDetail: "You chose not to start the program below. Until then, Quarry searches titles, headings and tags only.",
} as const;

const SCOPE = "Titles, headings and tags only";
const REASONS = {
  missing: "The search engine is not installed.",
  unapproved: "The search engine was not started.",
  outdated: "The search engine needs an update.",
  occupied: "Another program is using this vault's index.",
  failed: "The search engine is not running.",
  disconnected: "The search engine is restarting.",
  stopped: "The search engine is starting.",
  starting: "The search engine is starting.",
  live: "The vault is being indexed for the first time.",
} as const;
const LABELS: Partial<Record<EngineState["kind"], string>> = { missing: "Install", unapproved: "Start", outdated: "Update", occupied: "Details", failed: "Details" };

export interface ScopeWords {
  readonly text: string;
  readonly tip: string;
  readonly action: Action | null;
}

/** The line above rows that were found by names alone. */
export function scopeWords(engine: EngineState["kind"], { hits, byNames }: Pick<Answer, "hits" | "byNames">): ScopeWords {
  const ignored = byNames?.ignored ?? [];
  const label = LABELS[engine];
  const text = hits.length === 0 ? "No titles, headings or tags match" : SCOPE;
  return {
    text: ignored.length === 0 ? text : `${text}, without ${ignored.join(" ")}`,
    tip: REASONS[engine],
    action: label === undefined || hits.length === 0 ? null : { ...actionOf("engine-help"), label },
  };
}
