/** The elements of one passage: heading path and highlighted snippet. Note text enters as text nodes only. */
import { type Mark, type Passage } from "../protocol/messages";
import { excerptOf } from "../snippet/excerpt";
import { textRuns } from "../snippet/highlight";
import { TEXT } from "../wording/names";

export class PassageBlock {
  private readonly trailEl: HTMLElement;
  private readonly snippet: MarkedText;

  constructor(readonly el: HTMLElement) {
    this.trailEl = el.createDiv({ cls: "quarry-trail" });
    this.snippet = new MarkedText(el.createDiv({ cls: "quarry-snippet", attr: { dir: "auto" } }));
  }

  show(passage: Passage | null, title: string): void {
    this.el.toggleClass("is-hidden", passage === null);
    const trail = trailOf(passage?.headingPath ?? [], title).join(TEXT.headingSeparator);
    setText(this.trailEl, trail);
    this.trailEl.toggleClass("is-hidden", trail === "");
    const excerpt = passage ? excerptOf(passage, title) : { text: "", marks: [] };
    this.snippet.show(excerpt.text, excerpt.marks);
  }
}

/** A text with marks, redrawn only when either changes: otherwise its nodes stay, and with them a text selection. */
export class MarkedText {
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

/** Sets the text, keeping the text node when it is the same. */
export function setText(el: HTMLElement, text: string): void {
  if (el.textContent !== text) el.setText(text);
}

/** The heading path without a first heading that repeats the title, which is shown above it. */
function trailOf(headingPath: readonly string[], title: string): readonly string[] {
  return headingPath[0] === title ? headingPath.slice(1) : headingPath;
}
