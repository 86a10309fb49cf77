/** What does the line above the rows say? One thing at a time, in one line of fixed height. Pure. */
import { type PaneModel, stateOf } from "../pane/model";
import { degradation } from "../pane/state";
import { type Answer, answerOf } from "../search/answer";
import { quotedAsTyped } from "../search/spelling";
import { type Action, actionOf } from "./actions";
import { countWords, remarkOn, understoodWords } from "./answer";
import { scopeWords } from "./engine";
import { failureWords } from "./failures";
import { degradationWords } from "./freshness";
import { chosenWords } from "./writing";

export interface StatusWords {
  readonly tone: "count" | "remark" | "warning";
  readonly text: string;
  /** More about it, for the tooltip; may be empty. */
  readonly tip: string;
  readonly action: Action | null;
}

const NOTHING: StatusWords = { tone: "count", text: "", tip: "", action: null };

/** The trouble with the query, else what was changed about it, else what is unavailable, else the count. */
export function statusWords(model: PaneModel): StatusWords {
  const state = stateOf(model);
  const answer = answerOf(model.search);
  const scope = answer?.byNames ? { tone: "remark" as const, ...scopeWords(model.engine.kind, answer) } : null;
  if (state.kind === "bad-query" && model.rows.length > 0) {
    return { tone: "warning", text: failureWords(state), tip: "", action: state.position === null ? null : actionOf("go-to-error") };
  }
  if (!answer || answer.hits.length === 0) return scope ?? NOTHING;
  const chosen = chosenWords(model.selection.chosen.size);
  if (chosen !== "") return { tone: "count", text: chosen, tip: countWords(answer), action: null };
  if (scope) return scope;
  const remark = remarkOn(answer);
  if (remark !== "") return { tone: "remark", text: remark, tip: countWords(answer), action: asTypedAction(answer) };
  const missing = model.engine.kind === "live" ? degradation(model.status, model.search) : null;
  if (missing) return { tone: "warning", text: degradationWords(missing), tip: countWords(answer), action: null };
  return { tone: "count", text: countWords(answer), tip: understoodWords(answer), action: null };
}

function asTypedAction({ query, corrections }: Answer): Action | null {
  return quotedAsTyped(query, corrections) === null ? null : actionOf("search-typed");
}
