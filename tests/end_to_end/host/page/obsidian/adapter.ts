/** Reads and writes the vault folder on disk. Paths are vault-relative, with `/`. */
import { Known } from "../known";
import { normalizePath } from "./functions";

/** The part of Node's `fs` that the adapter needs. */
export interface Disk {
  existsSync(path: string): boolean;
  readFileSync(path: string): Uint8Array;
  writeFileSync(path: string, data: string | Uint8Array): void;
  appendFileSync(path: string, data: string): void;
  mkdirSync(path: string, options: { recursive: boolean }): void;
  renameSync(from: string, to: string): void;
  copyFileSync(from: string, to: string): void;
  rmSync(path: string, options: { recursive: boolean; force?: boolean }): void;
  readdirSync(path: string, options: { withFileTypes: true }): { name: string; isFile(): boolean; isDirectory(): boolean }[];
  statSync(path: string): { size: number; mtimeMs: number; ctimeMs: number; birthtimeMs: number; isDirectory(): boolean };
}

interface Stat {
  type: "file" | "folder";
  ctime: number;
  mtime: number;
  size: number;
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

  async stat(path: string): Promise<Stat | null> {
    const full = this.getFullPath(path);
    if (!this.hostDisk.existsSync(full)) return null;
    const stat = this.hostDisk.statSync(full);
    return { type: stat.isDirectory() ? "folder" : "file", ctime: stat.birthtimeMs, mtime: stat.mtimeMs, size: stat.size };
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

  async append(path: string, data: string): Promise<void> {
    this.hostDisk.appendFileSync(this.getFullPath(path), data);
  }

  async process(path: string, change: (data: string) => string): Promise<string> {
    const changed = change(await this.read(path));
    await this.write(path, changed);
    return changed;
  }

  async remove(path: string): Promise<void> {
    this.hostDisk.rmSync(this.getFullPath(path), { recursive: false });
  }

  async rename(path: string, newPath: string): Promise<void> {
    this.hostDisk.renameSync(this.getFullPath(path), this.getFullPath(newPath));
  }

  getBasePath(): string {
    return this.basePath;
  }

  async exists(path: string): Promise<boolean> {
    return this.hostDisk.existsSync(this.getFullPath(path));
  }
}
