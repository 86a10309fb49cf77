/**
 * The files of the vault, and the events when they change.
 *
 * The folder on disk is real. What the app itself does is on disk and in the tree before its event fires; what other
 * programs do is noticed through the folder watcher and compared with the tree, so that the app's own writes are not
 * told twice.
 */
import type { FileSystemAdapter } from "./adapter";
import { Events } from "./events";
import { TAbstractFile, TFile, TFolder } from "./files";
import { normalizePath } from "./functions";

export class Vault extends Events {
  private readonly entries = new Map<string, TAbstractFile>();
  private readonly root = new TFolder(this);

  constructor(
    readonly adapter: FileSystemAdapter,
    readonly configDir: string,
  ) {
    super();
    this.root.hostSetPath("/");
    this.entries.set("/", this.root);
  }

  static recurseChildren(folder: TFolder, visit: (file: TAbstractFile) => unknown): void {
    visit(folder);
    for (const child of [...folder.children]) {
      if (child instanceof TFolder) Vault.recurseChildren(child, visit);
      else visit(child);
    }
  }

  /** Host: read the folder at start; `create` fires for everything there is, as in the app. */
  hostLoad(): void {
    this.discover("/");
  }

  /** Host: *path* was touched on disk by someone else, perhaps; make the tree say what the disk says. */
  hostReconcile(path: string): void {
    const known = this.entries.get(path);
    const full = this.adapter.getFullPath(path);
    if (!this.adapter.hostDisk.existsSync(full)) {
      if (known) this.forget(known);
      return;
    }
    const isFolder = this.adapter.hostDisk.statSync(full).isDirectory();
    if (!known) this.appear(path, isFolder);
    else if (isFolder) this.discover(path);
    else if (known instanceof TFile && this.restat(known)) this.trigger("modify", known);
  }

  getName(): string {
    return this.adapter.getName();
  }

  getRoot(): TFolder {
    return this.root;
  }

  getAbstractFileByPath(path: string): TAbstractFile | null {
    return this.entries.get(path) ?? null;
  }

  getFileByPath(path: string): TFile | null {
    const found = this.entries.get(path);
    return found instanceof TFile ? found : null;
  }

  getFolderByPath(path: string): TFolder | null {
    const found = this.entries.get(path);
    return found instanceof TFolder ? found : null;
  }

  getAllLoadedFiles(): TAbstractFile[] {
    return [...this.entries.values()];
  }

  getFiles(): TFile[] {
    return this.getAllLoadedFiles().filter((file) => file instanceof TFile);
  }

  getMarkdownFiles(): TFile[] {
    return this.getFiles().filter((file) => file.extension === "md");
  }

  async read(file: TFile): Promise<string> {
    return this.adapter.read(file.path);
  }

  async cachedRead(file: TFile): Promise<string> {
    return this.adapter.read(file.path);
  }

  async create(path: string, data: string): Promise<TFile> {
    const wanted = normalizePath(path);
    if (this.entries.has(wanted)) throw new Error("File already exists.");
    this.adapter.hostDisk.writeFileSync(this.adapter.getFullPath(wanted), data);
    return this.appear(wanted, false) as TFile;
  }

  async createFolder(path: string): Promise<TFolder> {
    const wanted = normalizePath(path);
    if (this.entries.has(wanted)) throw new Error("Folder already exists.");
    this.adapter.hostDisk.mkdirSync(this.adapter.getFullPath(wanted), { recursive: true });
    return this.appear(wanted, true) as TFolder;
  }

  async modify(file: TFile, data: string): Promise<void> {
    this.adapter.hostDisk.writeFileSync(this.adapter.getFullPath(file.path), data);
    this.restat(file);
    this.trigger("modify", file);
  }

  async delete(file: TAbstractFile): Promise<void> {
    this.adapter.hostDisk.rmSync(this.adapter.getFullPath(file.path), { recursive: true });
    this.forget(file);
  }

  /** A folder's `rename` comes first, then one for everything below it; every path is new before the first of them. */
  async rename(file: TAbstractFile, newPath: string): Promise<void> {
    const wanted = normalizePath(newPath);
    if (this.entries.has(wanted)) throw new Error("Destination file already exists!");
    this.adapter.hostDisk.renameSync(this.adapter.getFullPath(file.path), this.adapter.getFullPath(wanted));
    const moved = this.move(file, wanted);
    for (const [entry, oldPath] of moved) this.trigger("rename", entry, oldPath);
  }

  /** What is below *folder* on disk and not in the tree appears, folders before what is in them. */
  private discover(folder: string): void {
    const prefix = folder === "/" ? "" : `${folder}/`;
    for (const entry of this.adapter.hostDisk.readdirSync(this.adapter.getFullPath(folder), { withFileTypes: true })) {
      if (entry.name.startsWith(".") || !(entry.isFile() || entry.isDirectory())) continue;
      if (!this.entries.has(prefix + entry.name)) this.appear(prefix + entry.name, entry.isDirectory());
    }
  }

  private appear(path: string, isFolder: boolean): TAbstractFile {
    const parent = this.parentOf(path);
    const already = this.entries.get(path);
    if (already) return already; // its folder was new as well, and brought it along
    const entry = isFolder ? new TFolder(this) : new TFile(this);
    entry.hostSetPath(path);
    entry.parent = parent;
    parent.children.push(entry);
    this.entries.set(path, entry);
    if (entry instanceof TFile) this.restat(entry);
    this.trigger("create", entry);
    if (isFolder) this.discover(path);
    return entry;
  }

  private parentOf(path: string): TFolder {
    const parentPath = path.slice(0, Math.max(path.lastIndexOf("/"), 0)) || "/";
    return this.getFolderByPath(parentPath) ?? (this.appear(parentPath, true) as TFolder);
  }

  /** `delete` fires for what is below a folder before it fires for the folder. */
  private forget(entry: TAbstractFile): void {
    if (entry instanceof TFolder) for (const child of [...entry.children]) this.forget(child);
    this.entries.delete(entry.path);
    entry.parent?.children.remove(entry);
    entry.parent = null;
    this.trigger("delete", entry);
  }

  private move(file: TAbstractFile, newPath: string): [TAbstractFile, string][] {
    const oldRoot = file.path;
    const moved: [TAbstractFile, string][] = [];
    const note = (entry: TAbstractFile): unknown => moved.push([entry, entry.path]);
    if (file instanceof TFolder) Vault.recurseChildren(file, note);
    else note(file);
    for (const [entry, oldPath] of moved) {
      this.entries.delete(oldPath);
      entry.hostSetPath(newPath + oldPath.slice(oldRoot.length));
      this.entries.set(entry.path, entry);
    }
    file.parent?.children.remove(file);
    file.parent = this.parentOf(newPath);
    file.parent.children.push(file);
    return moved;
  }

  /** True when size or time on disk are not what the tree said. */
  private restat(file: TFile): boolean {
    const { size, mtimeMs, birthtimeMs } = this.adapter.hostDisk.statSync(this.adapter.getFullPath(file.path));
    const changed = file.stat.size !== size || file.stat.mtime !== mtimeMs;
    file.stat = { size, mtime: mtimeMs, ctime: birthtimeMs };
    return changed;
  }
}
