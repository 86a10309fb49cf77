/** The elements of one passage: heading path and highlighted excerpt. Note text enters as text nodes only. */
import { LIMITS, type Mark, type Passage } from "../../protocol/messages";
import { excerptOf, type Room } from "../../snippet/excerpt";
import { textRuns } from "../../snippet/highlight";
import { headingsOf } from "../../i18n/rows";
import { t } from "../../i18n/translate";
import { isToDraw, showText } from "./elements";

/** What else is said in the line of the heading path; either may be empty. */
export interface PassageNotes {
  readonly missing: string;
  readonly maps: string;
}

export const NO_NOTES: PassageNotes = { missing: "", maps: "" };

const WIDE: Room = { characters: LIMITS.maxSnippetWidth, asked: LIMITS.maxSnippetWidth };

export class PassageBlock {
  readonly #metaEl: HTMLElement;
  readonly #trailEl: HTMLElement;
  readonly #mapsEl: HTMLElement;
  readonly #missingEl: HTMLElement;
  readonly #snippetEl: HTMLElement;

  constructor(readonly el: HTMLElement) {
    this.#metaEl = el.createDiv({ cls: "quarry-meta" });
    this.#missingEl = this.#metaEl.createSpan({ cls: "quarry-missing", attr: { dir: "auto" } });
    this.#trailEl = this.#metaEl.createSpan({ cls: "quarry-trail", attr: { dir: "auto" } });
    this.#mapsEl = this.#metaEl.createSpan({ cls: "quarry-maps", attr: { dir: "auto" } });
    this.#snippetEl = el.createDiv({ cls: "quarry-snippet", attr: { dir: "auto" } });
  }

  /** The excerpt that is shown. */
  get text(): string {
    return this.#snippetEl.textContent;
  }

  /** Whether there is a line above the excerpt; without one, maps have no place here. */
  get hasMeta(): boolean {
    return !this.#metaEl.hasClass("is-hidden");
  }

  /** `context`: the passage at length, which is shown instead. */
  show(passage: Passage | null, title: string, room: Room, notes: PassageNotes = NO_NOTES, context: Passage | null = null): void {
    this.el.toggleClass("is-hidden", passage === null && notes.missing === "");
    this.el.toggleClass("is-wide", context !== null);
    const trail = trailOf(passage ? headingsOf(passage) : [], title, passage?.snippet ?? "").join(t("pane.headings"));
    showText(this.#missingEl, notes.missing);
    showText(this.#trailEl, trail);
    showText(this.#mapsEl, notes.maps);
    this.#metaEl.toggleClass("is-hidden", trail === "" && notes.missing === "");
    const excerpt = passage ? excerptOf(context ?? passage, title, context ? WIDE : room) : { text: "", marks: [] };
    showMarked(this.#snippetEl, excerpt.text, excerpt.marks);
  }
}

/** Shows a text with marks. */
export function showMarked(el: HTMLElement, text: string, marks: readonly Mark[]): void {
  if (!isToDraw(el, [text, marks])) return;
  el.empty();
  for (const run of textRuns(text, marks)) {
    if (!run.isWord && !run.isSentence) {
      el.appendText(run.text);
      continue;
    }
    const span = el.createSpan({ text: run.text });
    span.toggleClass("search-result-file-matched-text", run.isWord);
    span.toggleClass("quarry-sentence", run.isSentence);
  }
}

/** The heading path without what repeats the title, which is shown above it, or the excerpt, which is shown below. */
function trailOf(headingPath: readonly string[], title: string, snippet: string): readonly string[] {
  const above = headingPath.at(-1) === snippet ? headingPath.slice(0, -1) : headingPath;
  return above[0] === title ? above.slice(1) : above;
}
