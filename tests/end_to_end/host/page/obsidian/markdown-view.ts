/** Shows a note in editing or reading view, and scrolls to a position in it. */
import type { Loc } from "obsidian";
import type { App } from "./app";
import { drawCodeBlocks } from "./code-blocks";
import { Component } from "./component";
import { Editor } from "./editor";
import type { WorkspaceLeaf } from "./leaf";
import type { TFile } from "./files";
import { FileView } from "./view";

type Mode = "source" | "preview";

/**
 * Where to go in a note, as `openFile` takes it: a line, a range, a cursor, or spans of the text that flash.
 */
export interface EphemeralState {
  readonly line?: number;
  readonly startLoc?: Loc;
  readonly endLoc?: Loc;
  readonly cursor?: { readonly from: { line: number; ch: number }; readonly to?: { line: number; ch: number } };
  readonly match?: { readonly content: string; readonly matches: readonly (readonly [number, number])[] };
  readonly scroll?: number;
  readonly focus?: boolean;
}

export class MarkdownView extends FileView {
  readonly editor: Editor;
  readonly previewMode: MarkdownPreviewView;
  override icon = "file-text";
  private readonly sourceEl: HTMLElement;
  private mode: Mode = "source";
  /** Host: every ephemeral state that was set, oldest first. */
  readonly hostEphemeralStates: EphemeralState[] = [];

  constructor(leaf: WorkspaceLeaf) {
    super(leaf);
    this.sourceEl = this.contentEl.createDiv({ cls: "markdown-source-view cm-s-obsidian mod-cm6 is-live-preview" });
    this.editor = new Editor(this.sourceEl);
    this.previewMode = new MarkdownPreviewView(this, this.contentEl.createDiv({ cls: "markdown-reading-view" }));
    this.showMode("source");
    this.takeDrops();
  }

  getViewType(): string {
    return "markdown";
  }

  getMode(): Mode {
    return this.mode;
  }

  getViewData(): string {
    return this.editor.hostFileText();
  }

  setViewData(data: string, clear: boolean): void {
    if (clear) this.editor.setCursor(0);
    this.editor.setValue(data);
    this.previewMode.set(data);
  }

  override onload(): void {
    super.onload();
    this.registerEvent(this.app.vault.on("modify", (file) => file === this.file && void this.reload(file as TFile)));
  }

  override async onLoadFile(file: TFile): Promise<void> {
    this.setViewData(await this.app.vault.read(file), true);
  }

  private async reload(file: TFile): Promise<void> {
    const data = await this.app.vault.read(file);
    if (data !== this.getViewData()) this.setViewData(data, false);
  }

  override getState(): Record<string, unknown> {
    return { ...super.getState(), mode: this.mode };
  }

  override async setState(state: { file?: string; mode?: Mode }, result: object): Promise<void> {
    if (state.mode) this.showMode(state.mode);
    await super.setState(state, result);
  }

  override setEphemeralState(state: EphemeralState): void {
    this.hostEphemeralStates.push(state);
    if (this.mode === "preview") this.previewMode.jump(state);
    else jump(this.editor, state);
    if (state.focus) this.editor.focus();
  }

  /** What is dropped on the editor becomes a link as the app writes it; what comes from elsewhere, the text it brings. */
  private takeDrops(): void {
    this.sourceEl.addEventListener("dragover", (event) => event.preventDefault());
    this.sourceEl.addEventListener("drop", (event) => {
      const { dragManager, fileManager } = this.app;
      const { draggable } = dragManager;
      const text = draggable ? dragManager.hostDroppedText(draggable, fileManager, this.file?.path ?? "") : (event.dataTransfer?.getData("text/plain") ?? "");
      this.editor.replaceRange(text, this.editor.hostPosAt(event.clientX, event.clientY));
      event.preventDefault();
    });
  }

  private showMode(mode: Mode): void {
    this.mode = mode;
    this.sourceEl.toggle(mode === "source");
    this.previewMode.containerEl.toggle(mode === "preview");
  }
}

/** The reading view. The host renders no Markdown but the code blocks of plugins: lines stand as they are, so that a test sees where a jump lands. */
export class MarkdownPreviewView {
  private text = "";
  /** Owns what plugins drew. */
  private drawn = new Component();

  constructor(
    private readonly view: MarkdownView,
    readonly containerEl: HTMLElement,
  ) {
    this.containerEl.createDiv({ cls: "markdown-preview-view markdown-rendered" });
    view.register(() => this.drawn.unload());
  }

  get app(): App {
    return this.view.app;
  }

  set(text: string): void {
    this.text = text;
    const page = this.containerEl.find(".markdown-preview-view");
    const lines = text.split(/\r\n|\r|\n/);
    this.drawn.unload();
    this.drawn = new Component();
    this.drawn.load();
    page.replaceChildren(...lines.map((line) => createEl("p", { text: line })));
    drawCodeBlocks(this.app, this.drawn, page, lines, this.view.file?.path ?? "");
    for (const process of this.app.hostPostProcessors) process(page);
  }

  applyScroll(line: number): void {
    this.containerEl.find(".markdown-preview-view").children[Math.floor(line)]?.scrollIntoView({ block: "center" });
  }

  /** Scroll to the line and make it flash, as the reading view does. */
  jump(state: EphemeralState): void {
    const { editor } = this.view;
    const start = state.match?.matches[0]?.[0];
    const line = state.line ?? state.startLoc?.line ?? state.cursor?.from.line ?? (start === undefined ? state.scroll : editor.offsetToPos(start).line);
    if (line === undefined) return;
    for (const old of this.containerEl.findAll(".is-flashing")) old.removeClass("is-flashing");
    this.containerEl.find(".markdown-preview-view").children[Math.floor(line)]?.addClass("is-flashing");
    this.applyScroll(line);
  }
}

function jump(editor: Editor, { line, startLoc, endLoc, cursor, match }: EphemeralState): void {
  if (line !== undefined) editor.setCursor(line);
  if (startLoc) editor.setCursor(startLoc.line, startLoc.col);
  if (startLoc && endLoc) editor.hostFlash([[startLoc.offset, endLoc.offset]]);
  if (cursor) editor.setSelection(cursor.from, cursor.to ?? cursor.from);
  if (match) {
    editor.hostFlash(match.matches);
    editor.setCursor(editor.offsetToPos(match.matches[0]?.[0] ?? 0));
  }
  const from = editor.getCursor("from");
  editor.scrollIntoView({ from, to: from }, true);
}
