/** A passage as its note shows it: drawn from the passage on, with the words that were found lit. Nothing in it is run or loaded. */
import { type App } from "obsidian";
import { type PlaceRow } from "../../pane/rows";
import { type Passage } from "../../protocol/messages";
import { escaped } from "../../search/passage";
import { editorTextOf, isOfVault, noteAt } from "./open";
import { drawMarkdown } from "./safe-markdown";

const SHOWN_CHARS = 4_000; // more than two screens of a dialog
const MAX_LIT = 200;

const FRONT_MATTER = /^---\n[^]*?\n---(?:\n|$)/u;

export class PassagePreview {
  #shown: PlaceRow | null = null;

  constructor(
    private readonly app: App,
    private readonly el: HTMLElement,
  ) {}

  /** Shows the passage of a row, unless it is the one that is shown; null: nothing. */
  async show(row: PlaceRow | null): Promise<void> {
    if (row && this.#shown && isSame(row, this.#shown)) return; // it stays scrolled as it is
    this.#shown = row;
    const file = row && noteAt(this.app.vault, row.hit.path);
    const text = file?.extension === "md" ? await editorTextOf(this.app.vault, file) : null;
    if (this.#shown !== row) return; // another row is selected by now
    this.el.empty();
    this.el.scrollTop = 0;
    if (!file && (!row || isOfVault(row))) return;
    if (text === null) { // of a canvas, a PDF file, a note of another vault or one that cannot be read there is what was quoted
      this.el.createDiv({ text: row.passage?.snippet ?? "", attr: { dir: "auto" } });
      return;
    }
    const pageEl = this.el.createDiv({ cls: "markdown-rendered", attr: { dir: "auto" } });
    drawMarkdown(pageEl, shownText(text, row.passage).split("\n"));
    if (row.passage) lightUp(pageEl, foundWords(row.passage));
  }
}

/** Whether two rows have the same passage: a save that concerns neither makes new objects of both. */
function isSame(row: PlaceRow, shown: PlaceRow): boolean {
  return row.key === shown.key && row.passage?.start === shown.passage?.start && row.passage?.snippet === shown.passage?.snippet;
}

/** The note from the beginning of the passage on, up to the end of a line. */
export function shownText(text: string, passage: Passage | null): string {
  const from = Math.min(passage?.start ?? 0, text.length);
  const start = text.lastIndexOf("\n", from - 1) + 1;
  const end = text.length - start > SHOWN_CHARS ? text.lastIndexOf("\n", start + SHOWN_CHARS) : text.length;
  const shown = text.slice(start, end > start ? end : start + SHOWN_CHARS);
  return start === 0 ? shown.replace(FRONT_MATTER, "") : shown;
}

/** The words and sentences that are marked in a passage, as they are written there. */
export function foundWords({ snippet, marks }: Passage): readonly string[] {
  return [...new Set(marks.map(({ start, end }) => snippet.slice(start, end).trim().toLowerCase()).filter((words) => words !== ""))];
}

/** Lights up `words` below `root` and brings the first into view. */
export function lightUp(root: HTMLElement, words: readonly string[]): void {
  if (words.length === 0) return;
  const pattern = new RegExp(words.map(escaped).sort((a, b) => b.length - a.length).join("|"), "giu");
  const walker = root.doc.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) nodes.push(walker.currentNode as Text);
  let lit = 0;
  for (const node of nodes) {
    let rest = node;
    let from = 0;
    for (const { index, 0: found } of node.data.matchAll(pattern)) {
      if (lit >= MAX_LIT) return;
      const hit = rest.splitText(index - from);
      rest = hit.splitText(found.length);
      from = index + found.length;
      const span = root.createSpan({ cls: "search-result-file-matched-text quarry-lit" });
      hit.replaceWith(span);
      span.append(hit);
      if (lit === 0) span.scrollIntoView({ block: "center" });
      lit += 1;
    }
  }
}
