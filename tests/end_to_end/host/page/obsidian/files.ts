/** Files and folders of the vault, as Obsidian knows them without reading them. */
import type { Vault } from "./vault";

/** Times in ms since 1970, size in bytes. */
export interface FileStats {
  ctime: number;
  mtime: number;
  size: number;
}

export abstract class TAbstractFile {
  path = "";
  name = "";
  parent: TFolder | null = null;

  constructor(readonly vault: Vault) {}

  /** Host: this is now its path. */
  hostSetPath(path: string): void {
    this.path = path;
    this.name = path.slice(path.lastIndexOf("/") + 1);
  }
}

export class TFile extends TAbstractFile {
  basename = "";
  extension = "";
  stat: FileStats = { ctime: 0, mtime: 0, size: 0 };

  override hostSetPath(path: string): void {
    super.hostSetPath(path);
    const dot = this.name.lastIndexOf(".");
    this.basename = dot > 0 ? this.name.slice(0, dot) : this.name;
    this.extension = dot > 0 ? this.name.slice(dot + 1).toLowerCase() : "";
  }
}

export class TFolder extends TAbstractFile {
  children: TAbstractFile[] = [];

  isRoot(): boolean {
    return this.path === "/";
  }
}
