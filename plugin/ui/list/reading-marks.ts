/**
 * Lights the marks of a passage in reading view for some seconds.
 *
 * Reading view renders sections when they come into sight and says nothing of where a line went, so the marked words are
 * looked up in the text that is there. The browser draws them as highlights: the rendered note is not changed.
 */
import { type MarkdownView } from "obsidian";
import { type Passage } from "../../protocol/messages";
import { folded, locateMarks } from "../../search/passage";
import { plainText } from "../../snippet/plain";

export const HIGHLIGHT = "quarry-passage"; // its look is in styles.css

const TRIES_MS = [0, 100, 400, 1_200]; // a section is rendered at once, a long note takes longer
const SHOWN_MS = 8_000; // long enough to find them all; Obsidian's own flash is shorter, but for one line
const BLOCKS = "p, li, td, th, dt, dd, pre, h1, h2, h3, h4, h5, h6, blockquote, div";

export function lightInReadingView(view: MarkdownView, passage: Passage): void {
  const win = view.containerEl.win as typeof window;
  if (passage.marks.length === 0 || typeof win.Highlight !== "function") return;
  const [first = 0, ...later] = TRIES_MS;
  const attempt = (afterMs: number, others: readonly number[]): void => {
    win.setTimeout(() => {
      const ranges = markedRanges(view.previewMode.containerEl, passage, view.getViewData().length);
      if (ranges.length > 0) show(win, ranges);
      else if (others[0] !== undefined && view.containerEl.isConnected) attempt(others[0], others.slice(1));
    }, afterMs);
  };
  attempt(first, later);
}

function show(win: typeof window, ranges: readonly Range[]): void {
  const { highlights } = win.CSS;
  const highlight = new win.Highlight(...ranges);
  highlights.set(HIGHLIGHT, highlight);
  win.setTimeout(() => {
    if (highlights.get(HIGHLIGHT) === highlight) highlights.delete(HIGHLIGHT);
  }, SHOWN_MS);
}

/** Where the marked words of `passage` are rendered below `root`; `sourceLength`: of the whole note. */
export function markedRanges(root: HTMLElement, passage: Passage, sourceLength: number): readonly Range[] {
  const { text, nodes } = textBelow(root);
  const plain = plainText(passage.snippet, passage.marks);
  const words = new Set(plain.marks.map(({ start, end }) => folded(plain.text.slice(start, end)).toLowerCase()));
  const around = Math.round((text.length * passage.matchStart) / Math.max(1, sourceLength));
  const spans = locateMarks(text, { ...passage, snippet: plain.text, marks: plain.marks, matchStart: around, matchEnd: around });
  return spans.filter(({ start, end }) => words.has(folded(text.slice(start, end)).toLowerCase())).flatMap(({ start, end }) => rangeOf(nodes, start, end) ?? []);
}

interface TextPiece {
  readonly node: Text;
  /** Where it begins in the text as a whole. */
  readonly start: number;
}

/** All text below `root`, blocks on lines of their own. */
function textBelow(root: HTMLElement): { readonly text: string; readonly nodes: readonly TextPiece[] } {
  const walker = root.doc.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes: TextPiece[] = [];
  let text = "";
  let block: Element | null = null;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement?.closest(BLOCKS) ?? null;
    if (block && parent !== block) text += "\n";
    block = parent;
    nodes.push({ node: node as Text, start: text.length });
    text += node.textContent ?? "";
  }
  return { text, nodes };
}

function rangeOf(nodes: readonly TextPiece[], start: number, end: number): Range | null {
  const from = pieceAt(nodes, start);
  const to = pieceAt(nodes, Math.max(start, end - 1));
  if (!from || !to) return null;
  const range = from.node.doc.createRange();
  range.setStart(from.node, Math.min(start - from.start, from.node.length));
  range.setEnd(to.node, Math.min(end - to.start, to.node.length));
  return range;
}

function pieceAt(nodes: readonly TextPiece[], offset: number): TextPiece | undefined {
  return nodes[[...nodes].findLastIndex(({ start }) => start <= offset)];
}
