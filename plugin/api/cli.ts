/**
 * Obsidian's command line: `obsidian quarry query="rate limit"` and `obsidian quarry:related path=Plan.md`.
 *
 * What notes say is printed in a terminal, so no character of theirs can steer one.
 */
import { type CliData, type CliFlags } from "obsidian";
import { type Mode } from "../protocol/messages";
import { t } from "../i18n/translate";
import type { QuarryApi, QuarryHit, QuarryPassage, QuarryReply } from "./quarry-api";

// Controls, and marks that turn the direction of what follows.
const STEERING = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu;
const FIRST_CHARS = /^.{0,160}/su; // two lines of a terminal; the `u` flag counts code points

export interface CliCommand {
  readonly id: string;
  readonly description: string;
  readonly flags: CliFlags;
  readonly run: (params: CliData) => Promise<string>;
}

export function cliCommands(api: QuarryApi): readonly CliCommand[] {
  const limit = { value: "<n>", description: t("cli.limit") };
  const output = { json: { description: t("cli.json") }, paths: { description: t("cli.paths") } };
  return [
    {
      id: "quarry",
      description: t("cli.search"),
      flags: { query: { value: "<text>", description: t("cli.query"), required: true }, mode: { value: "<mode>", description: t("cli.mode") }, limit, ...output },
      run: async (params) => {
        const options = { ...numberOf(params), ...(params.mode !== undefined && { mode: params.mode as Mode }) }; // checked there
        const reply = await api.search(params.query ?? "", options);
        return printed(reply, params, ({ hits }) => hits, ({ hits, isWeak }) => [...(isWeak && hits.length > 0 ? [t("cli.weak")] : []), ...hits.map(hitLines)].join("\n"));
      },
    },
    {
      id: "quarry:related",
      description: t("cli.related"),
      flags: { path: { value: "<path>", description: t("cli.path"), required: true }, limit, ...output },
      run: async (params) => {
        const reply = await api.related(params.path ?? "", numberOf(params));
        return printed(reply, params, (notes) => notes, (notes) => notes.map(({ path, isLinked, passage }) => `${isLinked ? t("cli.linked", { place: placeOf(path, passage) }) : placeOf(path, passage)}${quoted(passage)}`).join("\n"));
      },
    },
  ];
}

/** `limit` as a number, which may be one that is refused; nothing where none was given. */
function numberOf({ limit }: CliData): { limit?: number } {
  return limit === undefined ? {} : { limit: limit.trim() === "" ? NaN : Number(limit) };
}

function printed<T>(reply: QuarryReply<T>, params: CliData, notes: (value: T) => readonly { readonly path: string }[], inWords: (value: T) => string): string {
  if (params.json !== undefined) return JSON.stringify(reply, null, 2).replace(STEERING, asEscapes);
  if (!reply.ok) return t("cli.error", { message: clean(reply.error.message) });
  const found = notes(reply.value);
  if (found.length === 0) return params.paths === undefined ? t("cli.none") : "";
  return params.paths === undefined ? inWords(reply.value) : found.map(({ path }) => clean(path)).join("\n");
}

function hitLines({ path, confidence, passage }: QuarryHit): string {
  return `${placeOf(path, passage)}  ${String(Math.round(confidence * 100))}%${quoted(passage)}`;
}

/** `Note.md:12`, as editors and `grep` count lines: from 1. */
function placeOf(path: string, passage: QuarryPassage | null): string {
  return clean(path) + (passage ? `:${String(passage.line + 1)}` : "");
}

function quoted(passage: QuarryPassage | null): string {
  if (!passage) return "";
  const text = clean(passage.snippet);
  const short = FIRST_CHARS.exec(text)?.[0] ?? "";
  return `\n  ${short}${short === text ? "" : "…"}`;
}

function clean(text: string): string {
  return text.replace(STEERING, " ").replace(/ {2,}/g, " ").trim();
}

/** JSON's own line breaks stay; the other characters are written as JSON writes them. */
function asEscapes(run: string): string {
  return Array.from(run, (one) => (one === "\n" ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)).join("");
}
