/**
 * The editor of a note: CodeMirror as Obsidian has it, behind Obsidian's interface.
 *
 * As in Obsidian's editor, a line break is one character whatever the file has on disk, so offsets count a CRLF once.
 */
import { EditorSelection, EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, drawSelection } from "@codemirror/view";
import type { EditorPosition, EditorRange, EditorTransaction } from "obsidian";
import { Known } from "../known";

type Spans = readonly (readonly [number, number])[];

const flash = StateEffect.define<Spans>();

/** What a jump lit, until the text changes or the user goes elsewhere. */
const flashed = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(lit, transaction) {
    for (const effect of transaction.effects) if (effect.is(flash)) return Decoration.set(effect.value.filter(([from, to]) => from < to).map(([from, to]) => FLASHING.range(from, to)), true);
    return transaction.docChanged || transaction.isUserEvent("select") ? Decoration.none : lit;
  },
  provide: (field) => EditorView.decorations.from(field),
});
const FLASHING = Decoration.mark({ class: "is-flashing" });
const SIGNS = Decoration.mark({ class: "cm-formatting-header" });

/** A heading's number signs are hidden until something in the line is selected, as in live preview. */
const headings = EditorView.decorations.compute(["doc", "selection"], ({ doc, selection: { main } }) => {
  const found = [];
  for (let at = 1; at <= doc.lines; at += 1) {
    const { from, to, text } = doc.line(at);
    const level = /^(#{1,6}) /.exec(text)?.[1]?.length;
    if (!level) continue;
    found.push(Decoration.line({ class: `HyperMD-header HyperMD-header-${level}` }).range(from));
    if (main.empty || main.to <= from || to <= main.from) found.push(SIGNS.range(from, from + level + 1));
  }
  return Decoration.set(found, true);
});

export class Editor extends Known {
  private readonly view: EditorView;
  private lineBreak = "\n";
  /** States to go back to, the newest last. */
  private readonly done: EditorState[] = [];

  constructor(parent: HTMLElement) {
    super();
    const extensions = [drawSelection(), EditorView.lineWrapping, flashed, headings];
    this.view = new EditorView({ parent, state: EditorState.create({ extensions }) });
  }

  getValue(): string {
    return this.view.state.doc.toString();
  }

  setValue(text: string): void {
    const { main } = this.view.state.selection;
    this.lineBreak = /\r\n/.test(text) ? "\r\n" : "\n";
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
    this.select(main.anchor, main.head);
  }

  /** Host: the text as the file on disk has it. */
  hostFileText(): string {
    return this.getValue().replaceAll("\n", this.lineBreak);
  }

  getLine(line: number): string {
    return line < 0 || line > this.lastLine() ? "" : this.view.state.doc.line(line + 1).text;
  }

  lastLine(): number {
    return this.view.state.doc.lines - 1;
  }

  posToOffset({ line, ch }: EditorPosition): number {
    const { from, length } = this.view.state.doc.line(Math.clamp(line, 0, this.lastLine()) + 1);
    return from + Math.clamp(ch, 0, length);
  }

  offsetToPos(offset: number): EditorPosition {
    const { doc } = this.view.state;
    const at = Math.clamp(offset, 0, doc.length);
    const { number, from } = doc.lineAt(at);
    return { line: number - 1, ch: at - from };
  }

  getCursor(side: "from" | "to" | "head" | "anchor" = "head"): EditorPosition {
    return this.offsetToPos(this.view.state.selection.main[side]);
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
    this.done.push(this.view.state);
    this.view.dispatch(this.view.state.replaceSelection(text));
  }

  replaceRange(text: string, from: EditorPosition, to: EditorPosition = from): void {
    this.done.push(this.view.state);
    this.view.dispatch({ changes: { from: this.posToOffset(from), to: this.posToOffset(to), insert: text } });
  }

  /** One step for undo; the selection is meant in the text as it is afterwards. */
  transaction({ changes = [], replaceSelection, selection, selections }: EditorTransaction): void {
    const before = this.view.state;
    if (replaceSelection !== undefined) this.view.dispatch(before.replaceSelection(replaceSelection));
    this.view.dispatch({ changes: changes.map(({ from, to, text }) => ({ from: this.posToOffset(from), to: this.posToOffset(to ?? from), insert: text })) });
    const chosen = selection ?? selections?.[0];
    if (chosen) this.setSelection(chosen.from, chosen.to);
    if (!this.view.state.doc.eq(before.doc)) this.done.push(before);
  }

  undo(): void {
    const before = this.done.pop();
    if (before) this.view.setState(before);
  }

  focus(): void {
    if (this.view.root !== this.view.dom.doc) this.view.setRoot(this.view.dom.doc); // it was moved into another window
    this.view.focus();
  }

  hasFocus(): boolean {
    return this.view.dom.doc.activeElement === this.view.contentDOM;
  }

  scrollIntoView({ from }: EditorRange, center = false): void {
    this.view.dispatch({ effects: EditorView.scrollIntoView(this.posToOffset(from), { y: center ? "center" : "nearest" }) });
  }

  /** Host: `[start, end)` of what was last made to flash, as a jump does with the passage it lands on. */
  hostFlash(spans: Spans): void {
    const { length } = this.view.state.doc;
    this.view.dispatch({ effects: flash.of(spans.map(([from, to]) => [Math.min(from, length), Math.min(to, length)])) });
  }

  hostFlashed(): Spans {
    const spans: [number, number][] = [];
    this.view.state.field(flashed).between(0, this.view.state.doc.length, (from, to) => void spans.push([from, to]));
    return spans;
  }

  /** Host: the position of the text under a point of the window, as for a drop. */
  hostPosAt(x: number, y: number): EditorPosition {
    return this.offsetToPos(this.view.posAtCoords({ x, y }, false));
  }

  /** Host: `[start, end)` of the selection. */
  hostSpan(): [number, number] {
    const { from, to } = this.view.state.selection.main;
    return [from, to];
  }

  private select(anchor: number, head: number): void {
    const { length } = this.view.state.doc;
    this.view.dispatch({ selection: EditorSelection.single(Math.clamp(anchor, 0, length), Math.clamp(head, 0, length)) });
  }
}
