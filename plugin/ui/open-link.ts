/** Follows a link to a search: the best note where it is a likely answer and was asked for, or else the pane. */
import { type App } from "obsidian";
import { type Mode } from "../protocol/messages";
import { type SearchLink } from "../search/search-link";
import { type Requester } from "../sidecar/client";
import { openHit } from "./open-hit";

/** Better than even odds: a note is opened unasked only if it is more probably the right one than not. */
const MIN_CONFIDENCE = 0.5;

export interface LinkParts {
  readonly app: App;
  readonly client: Requester;
  readonly isLive: () => boolean;
  readonly mode: () => Mode;
  readonly chooseMode: (mode: Mode) => void;
  readonly openPane: (query?: string) => Promise<void>;
}

export async function followLink({ query, mode, opensBest }: SearchLink, parts: LinkParts): Promise<void> {
  if (query !== null && opensBest && parts.isLive() && (await opensBestHit(query, mode ?? parts.mode(), parts))) return;
  if (mode !== null) parts.chooseMode(mode);
  await parts.openPane(query ?? undefined);
}

async function opensBestHit(query: string, mode: Mode, { app, client }: LinkParts): Promise<boolean> {
  const { reply } = client.request("search", { query, mode, limit: 1 });
  const answer = await reply;
  const [best] = answer.ok && answer.value.weakness === null && answer.value.relaxed === null ? answer.value.hits : [];
  if (!best || best.confidence < MIN_CONFIDENCE) return false;
  return openHit(app, best.path, best.passages[0] ?? null, false);
}
