/** Where in its note does a passage stand, as a link says it? Pure. */
import { type Passage } from "../protocol/messages";

/** What is known of a note now; lines count from zero. */
export interface NoteOutline {
  readonly headings: readonly { readonly heading: string; readonly level: number }[];
  readonly blocks: readonly { readonly id: string; readonly firstLine: number; readonly lastLine: number }[];
}

/**
 * The subpath of a link to `passage`, from its `#` on: the block that it is in, else its heading, else nothing.
 *
 * A heading that the note has twice is named with the headings above it. The heading that repeats the note's `title` is the
 * note itself. `strip` takes out of a heading what would end a link.
 */
export function subpathOf(passage: Passage | null, title: string, { headings, blocks }: NoteOutline, strip: (heading: string) => string): string {
  if (!passage) return "";
  const block = blocks.find(({ firstLine, lastLine }) => firstLine <= passage.line && passage.line <= lastLine);
  if (block) return `#^${block.id}`;
  const path = passage.headingPath;
  const last = path.at(-1);
  if (last === undefined || (path.length === 1 && last === title)) return "";
  const isAmbiguous = headings.filter(({ heading }) => heading === last).length > 1;
  return `#${(isAmbiguous ? path : [last]).map(strip).join("#")}`;
}
