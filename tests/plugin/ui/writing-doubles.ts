/** A vault of texts and an editor of one note, for tests of what is written into it. */
import { type App, MarkdownView, type TFile } from "obsidian";

export class TestEditor {
  caret: number;

  /** A bar stands for the caret. */
  constructor(public text: string) {
    this.caret = text.indexOf("|");
    this.text = text.replace("|", "");
  }

  readonly steps: string[] = [];

  getCursor(): { line: number; ch: number } {
    return this.offsetToPos(this.caret);
  }

  getLine(line: number): string {
    return this.text.split("\n")[line] ?? "";
  }

  posToOffset({ line, ch }: { line: number; ch: number }): number {
    return this.text.split("\n").slice(0, line).reduce((sum, { length }) => sum + length + 1, 0) + ch;
  }

  offsetToPos(offset: number): { line: number; ch: number } {
    const lines = this.text.slice(0, offset).split("\n");
    return { line: lines.length - 1, ch: lines.at(-1)?.length ?? 0 };
  }

  transaction({ changes: [change] }: { changes: readonly { from: { line: number; ch: number }; text: string }[] }): void {
    if (!change) return;
    const at = this.posToOffset(change.from);
    this.steps.push(change.text);
    this.text = this.text.slice(0, at) + change.text + this.text.slice(at);
  }

  setCursor(position: { line: number; ch: number }): void {
    this.caret = this.posToOffset(position);
  }

  scrollIntoView(): void {
    this.steps.push("scrolled");
  }

  focus(): void {
    this.steps.push("focused");
  }

  /** The text with a bar at the caret. */
  get shown(): string {
    return `${this.text.slice(0, this.caret)}|${this.text.slice(this.caret)}`;
  }
}

/** A view of `Daily.md`, in the document. */
export function noteView(editor: TestEditor, mode: "source" | "preview" = "source"): MarkdownView {
  const view: unknown = Object.create(MarkdownView.prototype);
  const file = { path: "Daily.md", basename: "Daily" };
  Object.defineProperties(view, { editor: { value: editor }, file: { value: file }, getMode: { value: () => mode }, containerEl: { value: document.body }, leaf: { value: {} } });
  return view as MarkdownView;
}

/** An app whose vault holds `notes`, path -> text, and which writes links as wiki-links. */
export function appWith(notes: Readonly<Record<string, string>>): App {
  const files = Object.keys(notes).map((path) => ({ path, basename: path.replace(/\.md$/, "") }));
  const fileAt = (wanted: string): Pick<TFile, "path" | "basename"> | null => files.find(({ path }) => path === wanted) ?? null;
  return {
    vault: { getFileByPath: fileAt, getFiles: () => [], cachedRead: async ({ path }: TFile) => Promise.resolve(notes[path] ?? "") },
    metadataCache: { getFileCache: () => null },
    fileManager: { generateMarkdownLink: ({ basename }: TFile, source: string, subpath = "") => `[[${basename}${subpath}]]${source === "Daily.md" ? "" : ` for ${source}`}` },
    workspace: { revealLeaf: async () => Promise.resolve(), setActiveLeaf: () => undefined, getActiveFile: () => null },
  } as unknown as App;
}
