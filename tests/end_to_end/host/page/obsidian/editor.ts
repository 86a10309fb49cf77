/**
 * The text and the selection of an editor.
 *
 * As in Obsidian's editor, a line break is one character whatever the file has on disk, so offsets count a CRLF once.
 */
import type { EditorPosition, EditorRange, EditorSelection, EditorTransaction } from "obsidian";
import { Known } from "../known";

export class Editor extends Known {
  private lines: string[] = [""];
  private lineBreak = "\n";
  private anchor = 0;
  private head = 0;
  private flashed: readonly (readonly [number, number])[] = [];
  /** States to go back to, the newest last. */
  private readonly done: Moment[] = [];

  /** *contentEl* is where the text is drawn. */
  constructor(private readonly contentEl: HTMLElement) {
    super();
  }

  getValue(): string {
    return this.lines.join("\n");
  }

  setValue(text: string): void {
    this.lineBreak = /\r\n/.test(text) ? "\r\n" : "\n";
    this.lines = text.split(/\r\n|\r|\n/);
    this.flashed = [];
    this.select(this.anchor, this.head);
  }

  /** Host: the text as the file on disk has it. */
  hostFileText(): string {
    return this.lines.join(this.lineBreak);
  }

  getLine(line: number): string {
    return this.lines[line] ?? "";
  }

  lastLine(): number {
    return this.lines.length - 1;
  }

  posToOffset({ line, ch }: EditorPosition): number {
    const row = Math.clamp(line, 0, this.lastLine());
    const before = this.lines.slice(0, row).reduce((sum, text) => sum + text.length + 1, 0);
    return before + Math.clamp(ch, 0, this.getLine(row).length);
  }

  offsetToPos(offset: number): EditorPosition {
    let rest = Math.max(offset, 0);
    for (let line = 0; line < this.lines.length; line++) {
      const { length } = this.getLine(line);
      if (rest <= length) return { line, ch: rest };
      rest -= length + 1;
    }
    return { line: this.lastLine(), ch: this.getLine(this.lastLine()).length };
  }

  getCursor(side: "from" | "to" | "head" | "anchor" = "head"): EditorPosition {
    const offsets = { anchor: this.anchor, head: this.head, from: Math.min(this.anchor, this.head), to: Math.max(this.anchor, this.head) };
    return this.offsetToPos(offsets[side]);
  }

  setCursor(position: EditorPosition | number, ch = 0): void {
    const offset = this.posToOffset(typeof position === "number" ? { line: position, ch } : position);
    this.select(offset, offset);
  }

  setSelection(anchor: EditorPosition, head: EditorPosition = anchor): void {
    this.select(this.posToOffset(anchor), this.posToOffset(head));
  }

  getSelection(): string {
    return this.getValue().slice(...this.hostSpan());
  }

  replaceSelection(text: string): void {
    this.splice(...this.hostSpan(), text);
  }

  replaceRange(text: string, from: EditorPosition, to: EditorPosition = from): void {
    this.splice(this.posToOffset(from), this.posToOffset(to), text);
  }

  /** One step for undo; the selection is meant in the text as it is afterwards. */
  transaction({ changes = [], replaceSelection, selection, selections }: EditorTransaction): void {
    const before = this.moment();
    if (replaceSelection !== undefined) this.replace(...this.hostSpan(), replaceSelection);
    // Last first, so that the positions of the others stay right.
    const ordered = [...changes].sort((a, b) => this.posToOffset(b.from) - this.posToOffset(a.from));
    for (const { from, to, text } of ordered) this.replace(this.posToOffset(from), this.posToOffset(to ?? from), text);
    const chosen = selection ?? selections?.[0];
    if (chosen) this.setSelection(chosen.from, chosen.to);
    if (this.getValue() !== before.text) this.done.push(before);
  }

  undo(): void {
    const moment = this.done.pop();
    if (!moment) return;
    this.lines = moment.text.split("\n");
    this.select(moment.anchor, moment.head);
  }

  focus(): void {
    this.contentEl.focus();
  }

  hasFocus(): boolean {
    return this.contentEl.doc.activeElement === this.contentEl;
  }

  scrollIntoView({ from }: EditorRange, center = false): void {
    this.contentEl.children[from.line]?.scrollIntoView({ block: center ? "center" : "nearest" });
  }

  /** Host: `[start, end)` of what was last made to flash, as a jump does with the passage it lands on. */
  hostFlash(spans: readonly (readonly [number, number])[]): void {
    this.flashed = spans;
    this.draw();
  }

  hostFlashed(): readonly (readonly [number, number])[] {
    return this.flashed;
  }

  /** Host: the position of the text under a point of the window, as for a drop. */
  hostPosAt(x: number, y: number): EditorPosition {
    const caret = this.contentEl.doc.caretPositionFromPoint(x, y);
    const line = (caret?.offsetNode instanceof Element ? caret.offsetNode : caret?.offsetNode.parentElement)?.closest(".cm-line");
    if (!caret || !line) return this.offsetToPos(this.getValue().length);
    const range = new Range();
    range.setStart(line, 0);
    range.setEnd(caret.offsetNode, caret.offset);
    return { line: this.contentEl.indexOf(line), ch: range.toString().length };
  }

  /** Host: `[start, end)` of the selection. */
  hostSpan(): [number, number] {
    return [Math.min(this.anchor, this.head), Math.max(this.anchor, this.head)];
  }

  private select(anchor: number, head: number): void {
    const { length } = this.getValue();
    this.anchor = Math.clamp(anchor, 0, length);
    this.head = Math.clamp(head, 0, length);
    this.draw();
  }

  private splice(from: number, to: number, text: string): void {
    this.done.push(this.moment());
    this.replace(from, to, text);
  }

  private moment(): Moment {
    return { text: this.getValue(), anchor: this.anchor, head: this.head };
  }

  private replace(from: number, to: number, text: string): void {
    const value = this.getValue();
    this.flashed = []; // what a jump lit goes with the first change
    this.lines = (value.slice(0, from) + text + value.slice(to)).split(/\r\n|\r|\n/);
    this.select(from + text.length, from + text.length);
  }

  private draw(): void {
    let offset = 0;
    const rows = this.lines.map((line) => {
      const row = drawLine(line, offset, [
        { cls: "cm-selectionBackground", span: this.hostSpan() },
        ...this.flashed.map((span) => ({ cls: "is-flashing", span })),
      ]);
      offset += line.length + 1;
      return row;
    });
    this.contentEl.replaceChildren(...rows);
  }
}

/** The text and the selection, before something changed them. */
interface Moment {
  readonly text: string;
  readonly anchor: number;
  readonly head: number;
}

interface Mark {
  readonly cls: string;
  /** `[start, end)` in the whole text. */
  readonly span: readonly [number, number];
}

/** One line, cut into pieces wherever a marked span begins or ends. */
function drawLine(line: string, offset: number, spans: readonly Mark[]): HTMLElement {
  const level = /^(#{1,6}) /.exec(line)?.[1]?.length;
  const row = createDiv({ cls: ["cm-line", ...(level ? [`HyperMD-header`, `HyperMD-header-${level}`] : [])] });
  // A heading's number signs are hidden until something in the line is selected, as in live preview.
  const isTouched = spans.some(({ span: [start, end] }) => start < end && start < offset + line.length && offset < end);
  const marks: readonly Mark[] = level && !isTouched ? [{ cls: "cm-formatting-header", span: [offset, offset + level + 1] }] : spans;
  const edges = marks.flatMap(({ span }) => span.map((edge) => Math.clamp(edge - offset, 0, line.length)));
  const cuts = [...new Set([0, ...edges, line.length])].sort((a, b) => a - b);
  for (const [index, from] of cuts.entries()) {
    const to = cuts[index + 1] ?? from;
    const covering = marks.filter(({ span }) => span[0] < offset + to && offset + from < span[1]);
    if (to > from) row.createSpan({ cls: covering.map(({ cls }) => cls), text: line.slice(from, to) });
  }
  return row;
}
