/**
 * A disk whose files were read at once: a call to the Node side takes milliseconds, and loading a large vault by single ones
 * takes minutes. What was read ahead is given once; later questions go to the disk.
 */
import type { Disk } from "../obsidian/adapter";
import { call } from "./bridge-client";
import { unpackFile } from "./files";

export class PrimedDisk {
  /** Call and path -> answer. */
  readonly #answers = new Map<string, unknown>();

  constructor(private readonly disk: Disk) {}

  /** Reads the whole vault; what is not asked for in this turn of the loop is forgotten after it. */
  prime(): void {
    for (const [name, path, answer] of call("scanVault", {}) as [string, string, unknown][]) this.#answers.set(`${name} ${path}`, answer);
    setTimeout(() => { this.#answers.clear(); });
  }

  /** The disk, with what was read ahead before it. */
  get ahead(): Disk {
    return {
      ...this.disk,
      readdirSync: (path, options) => this.#take("readdirSync", path) ?? this.disk.readdirSync(path, options),
      statSync: (path) => this.#take("statSync", path) ?? this.disk.statSync(path),
      readFileSync: (path) => this.#take("readFileSync", path) ?? this.disk.readFileSync(path),
    };
  }

  #take<Name extends "readdirSync" | "statSync" | "readFileSync">(name: Name, path: string): ReturnType<Disk[Name]> | undefined {
    const key = `${name} ${path}`;
    const answer = this.#answers.get(key);
    if (answer === undefined) return undefined;
    this.#answers.delete(key);
    return unpackFile(answer) as ReturnType<Disk[Name]>;
  }
}
