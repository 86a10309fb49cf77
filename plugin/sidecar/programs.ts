/** Where `quarry`, or what installs it, may be found, and which programs may run on this device. Pure: no file is read here. */

export interface Machine {
  /** Node's `process.platform`: `win32`, `darwin`, `linux`. */
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

// Installed by plain pip; the engine needs Python 3.11.
const WINDOWS_PYTHONS = ["Python314", "Python313", "Python312", "Python311"];

/**
 * Absolute paths to try, best first.
 *
 * A program that the user chose for this device is the only path: running another one instead would hide a mistake.
 * Otherwise the folders of uv, pipx and Homebrew come before PATH, because an app started from the desktop often has a
 * minimal PATH (/usr/bin:/bin on macOS). Relative entries of PATH are skipped: the working folder could be anywhere.
 */
export function programPaths(machine: Machine, chosen: string | null): readonly string[] {
  if (chosen !== null) return [expandHome(chosen, machine)];
  return pathsOf("quarry", toolFolders(machine), machine);
}

/** What can install the engine, or get what can. */
export const INSTALLERS = ["uv", "pipx", "brew", "winget"] as const;
export type Installer = (typeof INSTALLERS)[number];

/** Absolute paths where an installer may be. */
export function installerPaths(installer: Installer, machine: Machine): readonly string[] {
  const { env, home } = machine;
  const links = env["LOCALAPPDATA"] ? ["Microsoft\\WinGet\\Links", "Microsoft\\WindowsApps"].map((folder) => join(machine, env["LOCALAPPDATA"] ?? "", folder)) : [];
  return pathsOf(installer, [...toolFolders(machine), join(machine, home, ".cargo", "bin"), ...(isWindows(machine) ? links : [])], machine);
}

/** The paths of a program in `folders` and those of PATH. */
function pathsOf(program: string, folders: readonly string[], machine: Machine): readonly string[] {
  const name = isWindows(machine) ? `${program}.exe` : program;
  const all = [...folders, ...pathFolders(machine)].filter((folder) => isAbsolute(folder, machine));
  return [...new Set(all.map((folder) => join(machine, folder, name)))];
}

function toolFolders(machine: Machine): readonly string[] {
  const { env, home } = machine;
  const configured = [env["UV_TOOL_BIN_DIR"], env["PIPX_BIN_DIR"], env["XDG_BIN_HOME"]].filter(isSet);
  const local = join(machine, home, ".local", "bin"); // uv and pipx put links here on every system
  if (!isWindows(machine)) {
    return [...configured, local, "/opt/homebrew/bin", "/usr/local/bin", "/home/linuxbrew/.linuxbrew/bin"];
  }
  const pips = [env["LOCALAPPDATA"] && join(machine, env["LOCALAPPDATA"], "Programs", "Python"), env["APPDATA"] && join(machine, env["APPDATA"], "Python")]
    .filter(isSet)
    .flatMap((base) => WINDOWS_PYTHONS.map((python) => join(machine, base, python, "Scripts")));
  return [...configured, local, ...pips];
}

function pathFolders(machine: Machine): readonly string[] {
  // Windows keeps the case in which the variable was set.
  const key = Object.keys(machine.env).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
  return (machine.env[key] ?? "").split(isWindows(machine) ? ";" : ":").filter(isSet);
}

function expandHome(path: string, machine: Machine): string {
  return /^~[\\/]/.test(path) ? join(machine, machine.home, path.slice(2)) : path;
}

function isWindows(machine: Machine): boolean {
  return machine.platform === "win32";
}

function isAbsolute(path: string, machine: Machine): boolean {
  return isWindows(machine) ? /^([A-Za-z]:[\\/]|\\\\)/.test(path) : path.startsWith("/");
}

function join(machine: Machine, ...parts: readonly string[]): string {
  const separator = isWindows(machine) ? "\\" : "/";
  return parts.map((part, index) => (index < parts.length - 1 ? part.replace(/[\\/]+$/, "") : part)).join(separator);
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}

/** The user's answers to whether a program may be started, by its path; null where nobody was asked. */
export interface Consent {
  of(path: string): boolean | null;
  set(path: string, isGiven: boolean): void;
}

/** Where answers are kept: on this device, never in a file that is synced. */
export interface ConsentStorage {
  read(): unknown;
  write(answers: Readonly<Record<string, boolean>>): void;
}

export function consentIn(storage: ConsentStorage): Consent {
  const answers = (): ReadonlyMap<string, boolean> => {
    const stored = storage.read();
    const entries: [string, unknown][] = typeof stored === "object" && stored !== null ? Object.entries(stored) : [];
    return new Map(entries.filter((entry): entry is [string, boolean] => typeof entry[1] === "boolean"));
  };
  return {
    of: (path) => answers().get(path) ?? null,
    set: (path, isGiven) => { storage.write(Object.fromEntries(new Map(answers()).set(path, isGiven))); },
  };
}
