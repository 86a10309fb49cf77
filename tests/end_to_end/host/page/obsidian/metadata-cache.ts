/** Metadata of notes: headings, tags, links, and the targets of links. */
import type { CachedMetadata, HeadingCache, LinkCache, Pos, TagCache } from "obsidian";
import { Events } from "./events";
import type { TAbstractFile, TFile } from "./files";
import { getLinkpath } from "./functions";
import type { Vault } from "./vault";

const HEADING = /^(#{1,6})\s+(.+?)\s*#*$/;
const WIKI_LINK = /(!?)\[\[([^\][|]+)(?:\|([^\][]+))?\]\]/g;
const TAG = /(?<![\w/#&])#([\p{L}\p{N}_/-]*[\p{L}_/-][\p{L}\p{N}_/-]*)/gu;

export class MetadataCache extends Events {
  private readonly notes = new Map<string, CachedMetadata>();

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
    const wanted = getLinkpath(linkpath).normalize("NFC").toLowerCase();
    const folder = sourcePath.slice(0, sourcePath.lastIndexOf("/") + 1).toLowerCase();
    const spellings = [wanted, `${wanted}.md`];
    const paths = this.vault.getFiles().map((file) => ({ file, path: file.path.normalize("NFC").toLowerCase() }));
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

  private async index(file: TAbstractFile): Promise<void> {
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
    this.trigger("changed", note, text, cache);
    this.trigger("resolve", note);
    this.trigger("resolved");
  }

  private move(file: TAbstractFile, oldPath: string): void {
    const cache = this.notes.get(oldPath);
    this.notes.delete(oldPath);
    if (cache) this.notes.set(file.path, cache);
  }

  private drop(file: TAbstractFile): void {
    const cache = this.notes.get(file.path) ?? null;
    if (this.notes.delete(file.path)) this.trigger("deleted", file, cache);
  }
}

/** Line by line; fences and front matter hold no headings. */
function describeNote(text: string): CachedMetadata {
  const headings: HeadingCache[] = [];
  const links: LinkCache[] = [];
  const tags: TagCache[] = [];
  let offset = 0;
  let fence: string | null = null;
  text.split("\n").forEach((line, row) => {
    const marker = /^\s*(```+|~~~+)/.exec(line)?.[1] ?? (row === 0 && line.trim() === "---" ? "---" : null);
    if (fence !== null) fence = line.trimStart().startsWith(fence) ? null : fence;
    else if (marker !== null) fence = marker;
    else describeLine(line, (from, to) => position(row, offset, from, to), { headings, links, tags });
    offset += line.length + 1;
  });
  return { headings, links, tags };
}

function describeLine(line: string, at: (from: number, to: number) => Pos, into: { headings: HeadingCache[]; links: LinkCache[]; tags: TagCache[] }): void {
  const heading = HEADING.exec(line);
  if (heading) into.headings.push({ heading: heading[2]!, level: heading[1]!.length, position: at(0, line.length) });
  for (const match of line.matchAll(WIKI_LINK)) {
    const [original, , link, label] = match;
    into.links.push({ link: link!, original, displayText: label ?? link!, position: at(match.index, match.index + original.length) });
  }
  for (const match of line.matchAll(TAG)) into.tags.push({ tag: match[0], position: at(match.index, match.index + match[0].length) });
}

function position(line: number, offset: number, from: number, to: number): Pos {
  return { start: { line, col: from, offset: offset + from }, end: { line, col: to, offset: offset + to } };
}
