/**
 * Parses the text of a live block in a note. Pure.
 *
 *     ```quarry
 *     retry backoff tag:#work
 *     sort: modified
 *     limit: 5
 *     ```
 *
 * A line that begins with the name of an option sets it; all other lines together are the query.
 */
import { LIMITS, type Mode, type SortOrder, SORTS } from "../protocol/messages";
import { DENSITIES, type Density } from "../snippet/excerpt";

export const LANGUAGE = "quarry";

export interface BlockSpec {
  readonly query: string;
  readonly sort: SortOrder;
  readonly limit: number;
  /** Null: by words and meaning. */
  readonly mode: Mode | null;
  /** Null: as the pane's rows are. */
  readonly density: Density | null;
  /** The rows, or how many there are alone. */
  readonly shows: "rows" | "count";
}

export type BlockError =
  | { readonly kind: "no-query" }
  | { readonly kind: "unknown-option"; readonly line: number; readonly name: string; readonly options: readonly string[] }
  | { readonly kind: "bad-value"; readonly line: number; readonly name: string; readonly value: string; readonly allowed: readonly string[] }
  | { readonly kind: "bad-limit"; readonly line: number; readonly value: string; readonly most: number };

export type ParsedBlock = { readonly spec: BlockSpec } | { readonly errors: readonly BlockError[] };

const MODE_NAMES: Readonly<Record<string, Mode>> = { both: "hybrid", words: "keyword", meaning: "semantic" };
const SHOWS = ["rows", "count"] as const;
const OPTIONS = ["sort", "limit", "mode", "density", "show"] as const;
const DEFAULT_LIMIT = 10; // what fits beside the text of a note
const OPTION = /^([a-z][a-z-]*):\s+(\S.*)$|^([a-z][a-z-]*):$/iu; // `tag:#work` is an operator: nothing is between it and its value

/** The spec of a block with that text. `operators`: the names that are part of a query before a colon. */
export function parseBlock(text: string, operators: ReadonlySet<string>): ParsedBlock {
  const errors: BlockError[] = [];
  const queries: string[] = [];
  let spec: Omit<BlockSpec, "query"> = { sort: "relevance", limit: DEFAULT_LIMIT, mode: null, density: null, shows: "rows" };
  for (const [at, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    const [, withValue, value = "", alone] = OPTION.exec(line) ?? [];
    const name = (withValue ?? alone ?? /^(\w+):/u.exec(line)?.[1] ?? "").toLowerCase();
    if (isOption(name)) {
      const read = optionOf(name, (value || line.slice(name.length + 1)).trim(), at + 1);
      if ("kind" in read) errors.push(read);
      else spec = { ...spec, ...read };
    } else if (withValue !== undefined && !operators.has(name)) errors.push({ kind: "unknown-option", line: at + 1, name, options: OPTIONS });
    else if (line !== "") queries.push(line);
  }
  const query = queries.join(" ");
  if (query === "" && errors.length === 0) errors.push({ kind: "no-query" });
  if (spec.shows === "count" && spec.mode === null) spec = { ...spec, mode: "keyword" }; // by meaning, any number of notes are near
  return errors.length > 0 ? { errors } : { spec: { ...spec, query } };
}

/** The text of a block in a note that asks `query`; a fence is longer than any in it. */
export function blockText(query: string, mode: Mode): string {
  const named = Object.keys(MODE_NAMES).find((name) => MODE_NAMES[name] === mode);
  const longest = Math.max(2, ...[...query.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return [fence + LANGUAGE, query, ...(mode === "hybrid" || named === undefined ? [] : [`mode: ${named}`]), fence, ""].join("\n");
}

function optionOf(name: (typeof OPTIONS)[number], value: string, line: number): Partial<BlockSpec> | BlockError {
  const wanted = value.toLowerCase();
  const among = <T extends string>(allowed: readonly T[], use: (found: T) => Partial<BlockSpec>): Partial<BlockSpec> | BlockError => {
    const found = allowed.find((one) => one === wanted);
    return found === undefined ? { kind: "bad-value", line, name, value, allowed } : use(found);
  };
  switch (name) {
    case "sort":
      return among(SORTS, (sort) => ({ sort }));
    case "mode":
      return among(Object.keys(MODE_NAMES), (mode) => ({ mode: MODE_NAMES[mode] ?? null }));
    case "density":
      return among(DENSITIES, (density) => ({ density }));
    case "show":
      return among(SHOWS, (shows) => ({ shows }));
    case "limit": {
      const limit = /^\d{1,6}$/u.test(value) ? Number(value) : 0;
      return limit >= 1 && limit <= LIMITS.maxLimit ? { limit } : { kind: "bad-limit", line, value, most: LIMITS.maxLimit };
    }
  }
}

function isOption(name: string): name is (typeof OPTIONS)[number] {
  return OPTIONS.some((option) => option === name);
}
