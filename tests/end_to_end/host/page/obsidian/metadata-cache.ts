/** The metadata of all notes, and the targets of links. */
import type { CachedMetadata } from "obsidian";
import { Events } from "./events";
import type { TAbstractFile, TFile } from "./files";
import { getLinkpath } from "./functions";
import { describeNote } from "./note-metadata";
import type { Vault } from "./vault";

/** Source -> target -> how often. */
type LinkCounts = Record<string, Record<string, number>>;

export class MetadataCache extends Events {
  private readonly notes = new Map<string, CachedMetadata>();
  private files: Map<string, TFile[]> | null = null;
  private links: LinkCounts | null = null;

  constructor(private readonly vault: Vault) {
    super();
    vault.on("create", (file) => void this.index(file as TAbstractFile));
    vault.on("modify", (file) => void this.index(file as TAbstractFile));
    vault.on("rename", (file, oldPath) => this.move(file as TAbstractFile, oldPath as string));
    vault.on("delete", (file) => this.drop(file as TAbstractFile));
  }

  getCache(path: string): CachedMetadata | null {
    return this.notes.get(path) ?? null;
  }

  getFileCache(file: TFile): CachedMetadata | null {
    return this.getCache(file.path);
  }

  /** Exact path first, then next to the source, then the shortest path that ends so. */
  getFirstLinkpathDest(linkpath: string, sourcePath: string): TFile | null {
    const wanted = getLinkpath(linkpath).normalize("NFC").toLowerCase().replace(/^\/|^(?:\.\.?\/)+/, "");
    const folder = sourcePath.slice(0, sourcePath.lastIndexOf("/") + 1).toLowerCase();
    const spellings = [wanted, `${wanted}.md`];
    const named = spellings.flatMap((spelling) => this.filesByName().get(spelling.slice(spelling.lastIndexOf("/") + 1)) ?? []);
    const paths = named.map((file) => ({ file, path: file.path.normalize("NFC").toLowerCase() }));
    const at = (prefix: string): TFile | undefined => paths.find(({ path }) => spellings.some((spelling) => path === prefix + spelling))?.file;
    const ending = paths.filter(({ path }) => spellings.some((spelling) => path.endsWith(`/${spelling}`)));
    ending.sort((a, b) => a.path.length - b.path.length || a.path.localeCompare(b.path));
    return at("") ?? at(folder) ?? ending[0]?.file ?? null;
  }

  /** The shortest text that leads to *file*: its name, where no other note has it. */
  fileToLinktext(file: TFile, sourcePath: string, omitMdExtension = true): string {
    const bare = (path: string): string => (omitMdExtension && file.extension === "md" ? path.replace(/\.md$/, "") : path);
    return this.getFirstLinkpathDest(file.name, sourcePath) === file ? bare(file.name) : bare(file.path);
  }

  get resolvedLinks(): LinkCounts {
    if (this.links) return this.links;
    this.links = {};
    for (const [path, cache] of this.notes) {
      const counts: Record<string, number> = (this.links[path] = {});
      for (const { link } of cache.links ?? []) {
        const target = this.getFirstLinkpathDest(getLinkpath(link), path)?.path;
        if (target !== undefined) counts[target] = (counts[target] ?? 0) + 1;
      }
    }
    return this.links;
  }

  /** All files by their lower-case name. */
  private filesByName(): Map<string, TFile[]> {
    if (this.files) return this.files;
    this.files = new Map();
    for (const file of this.vault.getFiles()) {
      const name = file.name.normalize("NFC").toLowerCase();
      const same = this.files.get(name);
      if (same) same.push(file);
      else this.files.set(name, [file]);
    }
    return this.files;
  }

  /** What was computed from all notes and files is computed anew when it is next asked for. */
  private forgetDerived(): void {
    this.files = this.links = null;
  }

  private async index(file: TAbstractFile): Promise<void> {
    this.forgetDerived();
    const note = this.vault.getFileByPath(file.path);
    if (note?.extension !== "md") return;
    let text: string;
    try {
      text = await this.vault.cachedRead(note);
    } catch {
      return; // gone or locked before it could be read: its own event will come
    }
    const cache = describeNote(text);
    this.notes.set(note.path, cache);
    this.forgetDerived();
    this.trigger("changed", note, text, cache);
    this.trigger("resolve", note);
    this.trigger("resolved");
  }

  private move(file: TAbstractFile, oldPath: string): void {
    this.forgetDerived();
    const cache = this.notes.get(oldPath);
    this.notes.delete(oldPath);
    if (cache) this.notes.set(file.path, cache);
  }

  private drop(file: TAbstractFile): void {
    this.forgetDerived();
    const cache = this.notes.get(file.path) ?? null;
    if (this.notes.delete(file.path)) this.trigger("deleted", file, cache);
  }
}
