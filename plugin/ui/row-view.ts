/** What does the list ask of the elements of a row? */
import { type Row } from "../pane/rows";
import { type Room } from "../snippet/excerpt";

export interface RowView {
  /** Inserted by the list at the row's position. */
  readonly el: HTMLElement;
  /** Draws a row of the kind that the view was made for. */
  show(row: Row, nowMs: number, room: Room): void;
  /** The elements that can be selected, from top to bottom: the row itself, then the rows that belong to it. */
  readonly options: readonly HTMLElement[];
  updateAge?(nowMs: number): void;
  /** Whether `target` is in the part that unfolds the row. */
  isUnfolder?(target: Node): boolean;
  /** Whether `target` is in the part that undoes the row's dismissal. */
  isUndo?(target: Node): boolean;
}
