/** Paths where `quarry` may be installed, in the order in which they are tried. Pure: no file is looked up here. */

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
  const name = isWindows(machine) ? "quarry.exe" : "quarry";
  const folders = [...toolFolders(machine), ...pathFolders(machine)].filter((folder) => isAbsolute(folder, machine));
  return [...new Set(folders.map((folder) => join(machine, folder, name)))];
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
