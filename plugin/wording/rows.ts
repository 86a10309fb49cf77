/** What is said in and about one row? Pure. */
import { type DividerRow, type HitRow, type MoreRow, type Reason } from "../pane/rows";
import { type MapOfContent } from "../protocol/messages";
import { type FurtherPassages } from "../search/passage-loader";
import { failureWords } from "./failures";
import { joinSentences, number } from "./formatting";

export const REASON_TIPS: Readonly<Record<Reason, string>> = {
  meaning: "Found by its meaning: it holds no word of the query",
  title: "The words are in its title",
  linked: "One of the two notes links to the other",
  mention: "It mentions the note without a link",
};

export const SECTIONS: Readonly<Record<DividerRow["section"], string>> = {
  nearest: "Nearest in meaning",
  closest: "Closest matches",
  end: "These are the 100 best. More words or a filter narrow the search.",
  recent: "Recent searches",
  saved: "Saved searches",
  mentions: "Unlinked mentions",
};

export function moreWords({ what, count }: Pick<MoreRow, "what" | "count">): string {
  return what === "weak" ? `Show ${number(count)} more that may not fit` : "Show more";
}

/** The words of the query that a note does not hold; empty when it holds them all. */
export function missingWordsLabel(words: readonly string[]): string {
  return words.length === 0 ? "" : `missing: ${words.join(", ")}`;
}

/** A row as a screen reader names it. */
export function rowLabel({ name, reason, isWeak, missing, hit, passage }: HitRow, age: string, excerpt: string): string {
  const why = isWeak ? "nearest in meaning" : (reason ?? "");
  const place = passage && passage.headingPath.length > 0 ? `under ${passage.headingPath.join(", ")}` : "";
  const further = hit.furtherPassages > 0 ? morePassages(hit.furtherPassages) : "";
  return [name.text, name.folder ?? "", why, missingWordsLabel(missing), age, further, place].filter((part) => part !== "").join(", ") + (excerpt === "" ? "" : `: ${excerpt}`);
}

/** The line that names the maps of content of a hit; empty when there are none. */
export function mapsWords(maps: readonly MapOfContent[]): string {
  return maps.length === 0 ? "" : `In ${maps.map(({ title }) => title).join(", ")}`;
}

export function openMapWords(title: string): string {
  return `Open map “${title}”`;
}

/** The age of a note, abbreviated. */
export function ageWords(ageMs: number): string {
  const minutes = Math.floor(ageMs / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h`;
  const days = Math.floor(hours / 24);
  if (days < 31) return `${days} d`;
  return days < 365 ? `${Math.floor(days / 30.44)} mo` : `${Math.floor(days / 365)} y`;
}

export function modifiedWords(modifiedMs: number): string {
  return `Modified ${new Date(modifiedMs).toLocaleString()}`;
}

/** The line below a hit with `count` further passages. */
export function furtherPassagesWords(state: FurtherPassages, count: number, isSlow: boolean): string {
  switch (state.kind) {
    case "folded":
      return morePassages(count);
    case "loading":
      if (state.previous.length > 0) return SHOW_LESS;
      return isSlow ? `Loading ${morePassages(count)}…` : morePassages(count);
    case "unfolded":
      return state.passages.length === 0 ? NO_MORE_PASSAGES : SHOW_LESS;
    case "failed":
      return joinSentences(PASSAGES_FAILED, failureWords(state.failure));
  }
}

/** The announcement for screen readers when the further passages of a hit change; empty when nothing is to be said. */
export function passagesAnnouncement(state: FurtherPassages, title: string): string {
  switch (state.kind) {
    case "folded":
    case "loading":
      return "";
    case "unfolded":
      return `${state.passages.length === 0 ? NO_MORE_PASSAGES : morePassages(state.passages.length)} in ${title}`;
    case "failed":
      return joinSentences(PASSAGES_FAILED, failureWords(state.failure));
  }
}

const SHOW_LESS = "Show less";
const NO_MORE_PASSAGES = "No more passages";
const PASSAGES_FAILED = "More passages could not be loaded";

export function morePassages(count: number): string {
  return count === 1 ? "1 more passage" : `${number(count)} more passages`;
}
