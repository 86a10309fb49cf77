/**
 * The elements of one hit: created once, then changed only where they differ. Note text enters as text nodes, never as
 * HTML: in Obsidian's window a script in a note would have access to the whole machine.
 */
import { type Hit, type Mark, type Passage } from "../protocol/messages";
import { excerptOf } from "./excerpt";
import { textRuns } from "./highlight";
import { type Option, initOption } from "./option-list";
import { TEXT, WHY_TIPS, ageWords, modifiedWords, morePassagesWords } from "./wording";

/** An option that can be opened: a note at one of its passages. */
export interface HitOption extends Option {
  readonly hit: Hit;
  readonly passage: Passage | null;
}

export class HitRow {
  readonly el: HTMLElement;
  private readonly main: HTMLElement;
  private readonly titleEl: HTMLElement;
  private readonly title: MarkedText;
  private readonly whyEl: HTMLElement;
  private readonly ageEl: HTMLElement;
  private readonly best: PassageBlock;
  private readonly othersEl: HTMLElement;
  private readonly moreEl: HTMLElement;
  private others: readonly PassageBlock[] = [];
  private isOpen = false;

  /** The row is not in the document yet: the list inserts it at its position. */
  constructor(
    private hit: Hit,
    nowMs: number,
  ) {
    this.el = createDiv({ cls: "tree-item search-result quarry-hit", attr: { role: "group" } });
    this.main = this.el.createDiv({ cls: "quarry-option", attr: { draggable: "true" } });
    initOption(this.main);
    const head = this.main.createDiv({ cls: "tree-item-self search-result-file-title is-clickable" });
    this.titleEl = head.createDiv({ cls: "tree-item-inner quarry-title" });
    this.title = new MarkedText(this.titleEl);
    const flair = head.createDiv({ cls: "tree-item-flair-outer" });
    this.whyEl = flair.createSpan({ cls: "tree-item-flair quarry-why" });
    this.ageEl = flair.createSpan({ cls: "tree-item-flair quarry-age" });
    this.best = new PassageBlock(this.main.createDiv({ cls: "search-result-file-match quarry-passage" }));
    this.othersEl = this.el.createDiv({ cls: "quarry-others" });
    // For the mouse; the keyboard uses Alt+Down. A listbox contains options only, so this is hidden from screen readers.
    this.moreEl = this.el.createDiv({ cls: "quarry-more", attr: { "aria-hidden": "true" } });
    this.update(hit, nowMs);
  }

  update(hit: Hit, nowMs: number): void {
    this.hit = hit;
    this.title.show(hit.title, hit.titleMarks);
    this.titleEl.title = hit.path;
    setText(this.whyEl, hit.why);
    this.whyEl.title = WHY_TIPS[hit.why];
    this.whyEl.dataset["why"] = hit.why;
    this.el.setAttr("aria-label", hit.title);
    this.updateAge(nowMs);
    const [best, ...others] = hit.passages;
    this.best.show(best ?? null, hit.title);
    this.showOthers(others);
  }

  updateAge(nowMs: number): void {
    setText(this.ageEl, ageWords(nowMs - this.hit.modifiedMs));
    this.ageEl.title = modifiedWords(this.hit.modifiedMs);
  }

  get hasMore(): boolean {
    return this.hit.passages.length > 1;
  }

  /** Whether the further passages are shown. */
  get isExpanded(): boolean {
    return this.isOpen;
  }

  setExpanded(isOpen: boolean): void {
    this.isOpen = isOpen;
    this.showOthers(this.hit.passages.slice(1));
  }

  /** The options that the keyboard can reach, from top to bottom. */
  get options(): readonly HitOption[] {
    const { hit } = this;
    const others = this.others.flatMap(({ el, passage }) => (passage ? [{ key: `${hit.path}#${passage.start}`, el, hit, passage }] : []));
    return [{ key: hit.path, el: this.main, hit, passage: hit.passages[0] ?? null }, ...others];
  }

  isMoreButton(target: Node): boolean {
    return this.moreEl.contains(target);
  }

  private showOthers(passages: readonly Passage[]): void {
    const shown = this.isOpen ? passages : [];
    for (const block of this.others.slice(shown.length)) block.el.remove();
    this.others = shown.map((passage, index) => {
      const block = this.others[index] ?? this.createOther();
      block.show(passage, this.hit.title);
      return block;
    });
    this.moreEl.toggleClass("is-hidden", passages.length === 0);
    setText(this.moreEl, passages.length === 0 ? "" : morePassagesWords(passages.length, this.isOpen));
  }

  private createOther(): PassageBlock {
    const el = this.othersEl.createDiv({ cls: "quarry-option search-result-file-match quarry-passage", attr: { draggable: "true" } });
    initOption(el);
    return new PassageBlock(el);
  }
}

/** Heading trail and marked snippet of one passage. */
class PassageBlock {
  passage: Passage | null = null;
  private readonly trailEl: HTMLElement;
  private readonly snippet: MarkedText;

  constructor(readonly el: HTMLElement) {
    this.trailEl = el.createDiv({ cls: "quarry-trail" });
    this.snippet = new MarkedText(el.createDiv({ cls: "quarry-snippet", attr: { dir: "auto" } }));
  }

  show(passage: Passage | null, title: string): void {
    this.passage = passage;
    this.el.toggleClass("is-hidden", passage === null);
    const trail = trailOf(passage?.headingPath ?? [], title).join(TEXT.headingSeparator);
    setText(this.trailEl, trail);
    this.trailEl.toggleClass("is-hidden", trail === "");
    const excerpt = passage ? excerptOf(passage) : { text: "", marks: [] };
    this.snippet.show(excerpt.text, excerpt.marks);
  }
}

/** A text with marks, redrawn only when either changes: otherwise its nodes stay, and with them a text selection. */
class MarkedText {
  private shown = "";

  constructor(private readonly el: HTMLElement) {}

  show(text: string, marks: readonly Mark[]): void {
    const wanted = JSON.stringify([text, marks]);
    if (wanted === this.shown) return;
    this.shown = wanted;
    this.el.empty();
    for (const run of textRuns(text, marks)) {
      if (!run.isWord && !run.isSentence) {
        this.el.appendText(run.text);
        continue;
      }
      const span = this.el.createSpan({ text: run.text });
      span.toggleClass("search-result-file-matched-text", run.isWord);
      span.toggleClass("quarry-sentence", run.isSentence);
    }
  }
}

/** The heading path without a first heading that repeats the title, which is shown above it. */
function trailOf(headingPath: readonly string[], title: string): readonly string[] {
  return headingPath[0] === title ? headingPath.slice(1) : headingPath;
}

/** Sets the text, keeping the text node when it is the same. */
function setText(el: HTMLElement, text: string): void {
  if (el.textContent !== text) el.setText(text);
}
