/** The elements of one passage: heading path and highlighted excerpt. Note text enters as text nodes only. */
import { LIMITS, type Mark, type Passage } from "../../protocol/messages";
import { excerptOf, type Room } from "../../snippet/excerpt";
import { textRuns } from "../../snippet/highlight";
import { headingsOf } from "../../i18n/rows";
import { t } from "../../i18n/translate";
import { isToDraw, showClass, showText } from "./elements";

/** What else is said in the line of the heading path; either may be empty. */
export interface PassageNotes {
  readonly missing: string;
  readonly maps: string;
}

export const NO_NOTES: PassageNotes = { missing: "", maps: "" };

const WIDE: Room = { characters: LIMITS.maxSnippetWidth, asked: LIMITS.maxSnippetWidth };

export interface PassageBlock {
  readonly el: HTMLElement;
  /** The excerpt that is shown. */
  text(): string;
  /** Whether there is a line above the excerpt; without one, maps have no place here. */
  hasMeta(): boolean;
  /** `context`: the passage at length, which is shown instead. */
  show(passage: Passage | null, title: string, room: Room, notes?: PassageNotes, context?: Passage | null): void;
}

export function passageBlock(el: HTMLElement): PassageBlock {
  const metaEl = el.createDiv({ cls: "quarry-meta" });
  const missingEl = metaEl.createSpan({ cls: "quarry-missing", attr: { dir: "auto" } });
  const trailEl = metaEl.createSpan({ cls: "quarry-trail", attr: { dir: "auto" } });
  const mapsEl = metaEl.createSpan({ cls: "quarry-maps", attr: { dir: "auto" } });
  const snippetEl = el.createDiv({ cls: "quarry-snippet", attr: { dir: "auto" } });
  return {
    el,
    text: () => snippetEl.textContent,
    hasMeta: () => !metaEl.hasClass("is-hidden"),
    show: (passage, title, room, notes = NO_NOTES, context = null) => {
      showClass(el, "is-hidden", passage === null && notes.missing === "");
      showClass(el, "is-wide", context !== null);
      const trail = trailOf(passage ? headingsOf(passage) : [], title, passage?.snippet ?? "").join(t("pane.headings"));
      showText(missingEl, notes.missing);
      showText(trailEl, trail);
      showText(mapsEl, notes.maps);
      showClass(metaEl, "is-hidden", trail === "" && notes.missing === "");
      const excerpt = passage ? excerptOf(context ?? passage, title, context ? WIDE : room) : { text: "", marks: [] };
      showMarked(snippetEl, excerpt.text, excerpt.marks);
    },
  };
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
    el.createSpan({ text: run.text, cls: [...(run.isWord ? ["search-result-file-matched-text"] : []), ...(run.isSentence ? ["quarry-sentence"] : [])] });
  }
}

/** The heading path without what repeats the title, which is shown above it, or the excerpt, which is shown below. */
function trailOf(headingPath: readonly string[], title: string, snippet: string): readonly string[] {
  const above = headingPath.at(-1) === snippet ? headingPath.slice(0, -1) : headingPath;
  return above[0] === title ? above.slice(1) : above;
}
