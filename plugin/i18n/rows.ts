/** What is said in and about one row? Pure. */
import { type DocumentKind, pageOf } from "../document-kind";
import { type DividerRow, type ExtractRow, type HitRow, type MoreRow } from "../pane/rows";
import { type Hit, type MapOfContent, type Passage } from "../protocol/messages";
import { type FurtherPassages } from "../search/passage-loader";
import { originOf } from "../search/tiers";
import { plainText } from "../snippet/plain";
import { failureWords } from "./engine";
import { dateAndTime, joinFacts, joinSentences, percent, plainList } from "./formatting";
import { t } from "./translate";

export function moreWords({ what }: Pick<MoreRow, "what">): string {
  return t(what === "related" ? "command.related" : what === "rest" ? "row.rest" : "row.more");
}

/** The heading of a group of rows. */
export function sectionWords({ section, name = "" }: Pick<DividerRow, "section" | "name">): string {
  return section === "related" ? t("related.to", { name }) : t(`section.${section}`);
}

/** The words of the query that a note does not hold; empty when it holds them all. */
export function missingWordsLabel(words: readonly string[]): string {
  return words.length === 0 ? "" : t("row.missing", { words: plainList(words) });
}

/** Why a row is there, in a word or two; empty where that tells nothing. */
export function reasonWords({ reason }: Pick<HitRow, "reason">): string {
  return reason === null ? "" : t(`row.${reason}`);
}

export function reasonTip({ reason }: Pick<HitRow, "reason">): string {
  return reason === null ? "" : t(`row.${reason}Tip`);
}

/** How near a row is in meaning; empty where the list does not show that. */
export function similarityWords({ similarity }: Pick<HitRow, "similarity">): string {
  return similarity === null ? "" : t("row.similarTip", { share: percent(similarity) });
}

/** What a row that is no note of this vault comes from; empty for one that is. */
export function originWords(hit: Hit): string {
  const origin = originOf(hit);
  return origin === null || origin.kind === "home" ? "" : t(`tiers.${origin.kind}`, { name: origin.name });
}

/** A row as a screen reader names it. */
export function rowLabel(row: HitRow, age: string, excerpt: string): string {
  const { name, isWeak, missing, hit, passage } = row;
  const why = isWeak ? t("row.nearest") : joinFacts(reasonWords(row), similarityWords(row));
  const headings = passage ? headingsOf(passage).join(t("pane.headings")) : "";
  const place = headings === "" ? "" : t("row.under", { headings });
  const further = hit.furtherPassages > 0 ? morePassages(hit.furtherPassages) : "";
  const label = plainList([name.text, kindWords(hit.kind), originWords(hit), name.folder ?? "", why, missingWordsLabel(missing), age, further, place].filter((part) => part !== ""));
  return excerpt === "" ? label : t("row.label", { label, excerpt });
}

/** What a passage stands under: its headings that have text, or its page, which the engine names in English. */
export function headingsOf({ headingPath, anchor }: Passage): readonly string[] {
  const page = pageOf(anchor);
  return page === null ? headingPath.map((heading) => plainText(heading, []).text).filter((text) => text !== "") : [...headingPath.slice(0, -1), t("row.page", { page })];
}

/** What a row that is no note is; empty for a note. */
export function kindWords(kind: DocumentKind): string {
  return kind === "note" ? "" : t(`row.${kind}`);
}

/** Where the sentence that answers stands: its note, and the headings above it that do not repeat the note's name. */
export function extractSource({ name, passage }: ExtractRow): string {
  return [name.text, ...headingsOf(passage).filter((heading) => heading !== name.text)].join(t("pane.headings"));
}

/** The sentence that answers, as a screen reader says it. */
export function extractLabel(row: ExtractRow, text: string): string {
  return t("row.extract", { source: extractSource(row), text });
}

/** The line of a preview that names the maps of content of a hit; empty when there are none. */
export function mapsWords(maps: readonly MapOfContent[]): string {
  return maps.length === 0 ? "" : t("row.maps", { titles: plainList(maps.map(({ title }) => title)) });
}

export function openMapWords(title: string): string {
  return t("row.map", { title });
}

export function modifiedWords(modifiedMs: number): string {
  return t("row.modified", { date: dateAndTime(modifiedMs) });
}

/** The line below a hit with `count` further passages. */
export function furtherPassagesWords(state: FurtherPassages, count: number, isSlow: boolean): string {
  switch (state.kind) {
    case "folded":
      return morePassages(count);
    case "loading":
      if (state.previous.length > 0) return t("row.less");
      return isSlow ? t("row.loadingPassages", { count }) : morePassages(count);
    case "unfolded":
      return state.passages.length === 0 ? t("row.noPassages") : t("row.less");
    case "failed":
      return joinSentences(t("row.passagesFailed"), failureWords(state.failure));
  }
}

/** The announcement for screen readers when the further passages of a hit change; empty when nothing is to be said. */
export function passagesAnnouncement(state: FurtherPassages, title: string): string {
  switch (state.kind) {
    case "folded":
    case "loading":
      return "";
    case "unfolded":
      return state.passages.length === 0 ? t("row.noPassagesIn", { title }) : t("row.passagesIn", { count: state.passages.length, title });
    case "failed":
      return joinSentences(t("row.passagesFailed"), failureWords(state.failure));
  }
}

export function morePassages(count: number): string {
  return t("row.passages", { count });
}
