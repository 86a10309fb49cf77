/**
 * Where do the rows of a list come from? A search today; anything that finds notes and quotes them can stand behind the
 * same list.
 */
import { type Emitter } from "../emitter";
import { type FeedbackKind, type Passage } from "../protocol/messages";
import { type FurtherPassages } from "./passage-loader";
import { type SearchState } from "./answer";

export interface ResultSource {
  readonly state: SearchState;
  readonly changed: Emitter<SearchState>;
  /** Emits the path of a hit whose further passages changed. */
  readonly furtherChanged: Emitter<string>;
  furtherOf(path: string): FurtherPassages;
  /** Requests the further passages of a hit. */
  unfold(path: string): void;
  fold(path: string): void;
  /** The passage of a hit that starts at `start`, quoted at length; null where it is gone. Left out where no source has more of it. */
  readonly widePassage?: (path: string, start: number) => Promise<Passage | null>;
  /** Asks for further hits, where there are any; those that are there stay. */
  more(): void;
  /** Repeats the request, because the index changed. */
  refresh(): void;
  /** Keeps the rows from being replaced while the user selects one of them. */
  freezeRows(): void;
  /** Tells the engine what the user made of a hit. */
  report(path: string, kind: FeedbackKind): void;
  close(): void;
}
