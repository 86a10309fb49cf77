/** Programs that pose as `quarry`: real processes, so that pipes, signals and exit codes are real too. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const VERSION = `if (process.argv[2] === "--version") { console.log("quarry 0.1.0 (protocol 1)"); process.exit(0); }`;

/** Bodies of `quarry serve`; `leaveOnEof` is what the lifeline asks for. */
export const leaveOnEof = `process.stdin.on("end", () => process.exit(0)).resume();`;
export const stayForever = `setInterval(() => {}, 1000);`;
export const ready = (discovery: string): string =>
  `console.log(JSON.stringify({ ready: true, discovery: ${JSON.stringify(discovery)}, port: 1, version: "0.1.0", protocol: 1 }));`;

export class Engines {
  readonly folder = mkdtempSync(join(tmpdir(), "quarry-plugin-"));

  /** Writes an executable that runs `body` for `serve`. Gives its path. */
  program(body: string, { name = "quarry", version = VERSION } = {}): string {
    const path = join(this.folder, name);
    writeFileSync(path, `#!${process.execPath}\n${version}\n${body}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  file(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function isAlive(pid: number | null): boolean {
  if (pid === null) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // ESRCH: gone
  }
}
