/** Reads and writes the vault folder on disk. Paths are vault-relative, with `/`. */
import { Known } from "../known";
import { normalizePath } from "./functions";

/** The part of Node's `fs` that the adapter needs. */
export interface Disk {
  existsSync(path: string): boolean;
  readFileSync(path: string): Uint8Array;
  writeFileSync(path: string, data: string | Uint8Array): void;
  mkdirSync(path: string, options: { recursive: boolean }): void;
  renameSync(from: string, to: string): void;
  rmSync(path: string, options: { recursive: boolean; force?: boolean }): void;
  readdirSync(path: string, options: { withFileTypes: true }): { name: string; isFile(): boolean; isDirectory(): boolean }[];
  statSync(path: string): { size: number; mtimeMs: number; ctimeMs: number; birthtimeMs: number; isDirectory(): boolean };
}

export class FileSystemAdapter extends Known {
  constructor(
    private readonly basePath: string,
    /** Host: the file system, for the vault's own needs. */
    readonly hostDisk: Disk,
  ) {
    super();
  }

  getName(): string {
    return this.basePath.split(/[\\/]/).at(-1) ?? "";
  }

  getFullPath(path: string): string {
    const relative = normalizePath(path);
    return relative === "/" ? this.basePath : `${this.basePath}/${relative}`;
  }

  /** UTF-8, a byte-order mark dropped, bytes that are none replaced. */
  async read(path: string): Promise<string> {
    return new TextDecoder().decode(await this.readBinary(path));
  }

  async readBinary(path: string): Promise<ArrayBuffer> {
    return new Uint8Array(this.hostDisk.readFileSync(this.getFullPath(path))).buffer;
  }

  async write(path: string, data: string): Promise<void> {
    this.hostDisk.writeFileSync(this.getFullPath(path), data);
  }

  getBasePath(): string {
    return this.basePath;
  }

  async exists(path: string): Promise<boolean> {
    return this.hostDisk.existsSync(this.getFullPath(path));
  }
}
