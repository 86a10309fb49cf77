/** The elements of one passage: heading path and highlighted excerpt. Note text enters as text nodes only. */
import { LIMITS, type Mark, type Passage } from "../../protocol/messages";
import { excerptOf, type Room } from "../../snippet/excerpt";
import { textRuns } from "../../snippet/highlight";
import { plainList } from "../../i18n/formatting";
import { headingsOf, missingWordsLabel } from "../../i18n/rows";
import { t } from "../../i18n/translate";
import { isToDraw, showAttr, showClass, showText } from "./elements";

const WIDE: Room = { characters: LIMITS.maxSnippetWidth, asked: LIMITS.maxSnippetWidth };

export interface PassageBlock {
  readonly el: HTMLElement;
  /** The excerpt that is shown. */
  text(): string;
  /** `missing`: words of the query, which are struck through. `context`: the passage at length, which is shown instead. */
  show(passage: Passage | null, title: string, room: Room, missing?: readonly string[], context?: Passage | null): void;
}

export function passageBlock(el: HTMLElement): PassageBlock {
  const metaEl = el.createDiv({ cls: "quarry-meta" });
  const trailEl = metaEl.createSpan({ cls: "quarry-trail", attr: { dir: "auto" } });
  const missingEl = metaEl.createSpan({ cls: "quarry-missing", attr: { dir: "auto" } });
  const snippetEl = el.createDiv({ cls: "quarry-snippet", attr: { dir: "auto" } });
  return {
    el,
    text: () => snippetEl.textContent,
    show: (passage, title, room, missing = [], context = null) => {
      showClass(el, "is-hidden", passage === null && missing.length === 0);
      showClass(el, "is-wide", context !== null);
      const excerpt = passage ? excerptOf(context ?? passage, title, context ? WIDE : room) : { text: "", marks: [] };
      const trail = trailOf(passage ? headingsOf(passage) : [], title, excerpt.text).join(t("pane.headings"));
      showText(trailEl, trail);
      showText(missingEl, plainList(missing));
      showAttr(missingEl, "title", missingWordsLabel(missing));
      showClass(metaEl, "is-hidden", trail === "" && missing.length === 0);
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
function trailOf(headingPath: readonly string[], title: string, excerpt: string): readonly string[] {
  const above = headingPath.at(-1) === excerpt ? headingPath.slice(0, -1) : headingPath;
  return above[0] === title ? above.slice(1) : above;
}
