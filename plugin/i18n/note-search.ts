/** What does the search inside a note say? Pure. */
import { type NoteSearchState } from "../search/note-search";
import { failureWords } from "./failures";
import { t } from "./translate";

/** Which passage of how many; else why there is none. */
export function noteCountWords({ query, passages, current, failure, isAsking }: NoteSearchState): string {
  if (failure) return failureWords(failure);
  if (query === "" || (isAsking && passages.length === 0)) return "";
  return passages.length === 0 ? t("inNote.none") : t("inNote.count", { at: (current ?? 0) + 1, of: passages.length });
}
