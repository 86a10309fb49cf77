/** One passage of a hit in as many characters as the engine quotes. */
import { type Passage } from "../protocol/messages";
import { type Requester } from "../sidecar/client";
import { type SearchOfHit } from "./passage-loader";

export const WIDE_CHARACTERS = 1_000; // of the protocol: the longest snippet
const MAX_TOKENS = 100_000; // the budget is meant for agents

/** The passage of the note at `path` that starts at `start`; null where the note has none there any more. */
export async function widePassage(client: Requester, { query, mode = "hybrid", typing = false }: SearchOfHit, path: string, start: number): Promise<Passage | null> {
  const reply = await client.request("search", {
    query,
    mode,
    typing,
    limit: 1,
    filters: { notes: [path] },
    expand: true,
    snippetWidth: WIDE_CHARACTERS,
    maxTokens: MAX_TOKENS,
  }).reply;
  const passages = reply.ok ? (reply.value.hits[0]?.passages ?? []) : [];
  return passages.find((passage) => passage.start === start) ?? null;
}
