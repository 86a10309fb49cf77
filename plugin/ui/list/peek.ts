/**
 * A look at a passage without opening its note: a sheet beside the list, with the passage rendered and its words lit. The
 * editor is never touched, so it needs no way back.
 */
import { type App, Component } from "obsidian";
import { type Cancel, type Clock } from "../../clock";
import { isPlace, type PlaceRow, type Row } from "../../pane/rows";
import { t } from "../../i18n/translate";
import { scrollable } from "./list-view";
import { PassagePreview } from "./passage-preview";
import { isNode } from "./row-list";

const FOLLOW_MS = 80; // rows that are passed by are not rendered
const HOVER_MS = 300; // as Obsidian's page preview; a row that is clicked is not looked at first
const WIDTH_PX = 560;
const GAP_PX = 8;
const MIN_WIDTH_PX = 240; // with less room on both sides, the sheet covers a part of the list

export class Peek extends Component {
  #open: { readonly sheet: HTMLElement; readonly passageEl: HTMLElement; readonly nameEl: HTMLElement; readonly preview: PassagePreview } | null = null;
  #opener: Element | null = null; // what had the keyboard focus
  #cancelFollow: Cancel = () => undefined;
  #isHovered = false;

  constructor(
    private readonly app: App,
    private readonly clock: Clock,
    /** The list beside the sheet. */
    private readonly besideEl: HTMLElement,
  ) {
    super();
  }

  get isOpen(): boolean {
    return this.#open !== null;
  }

  /** Gives the passage the keyboard focus, to scroll it; false where there is none. Escape gives it back. */
  focus(): boolean {
    this.#open?.passageEl.focus();
    return this.isOpen;
  }

  /** Whether the sheet contains the target of an event. */
  holds(target: EventTarget | null): boolean {
    return isNode(target) && (this.#open?.sheet.contains(target) ?? false);
  }

  open(row: PlaceRow): void {
    this.close();
    const { doc } = this.besideEl;
    const { clientWidth, clientHeight } = doc.documentElement;
    const sheet = doc.body.createDiv({ cls: "quarry-peek" });
    sheet.setCssStyles(placeBeside(this.besideEl.getBoundingClientRect(), clientWidth, clientHeight));
    sheet.addEventListener("mousedown", (event) => { event.preventDefault(); }); // the keyboard stays with the list
    sheet.addEventListener("keydown", (event) => { this.#onKey(event); });
    sheet.addEventListener("focusout", ({ relatedTarget }) => { if (!this.holds(relatedTarget) && relatedTarget !== this.#opener) this.close(); });
    this.#opener = doc.activeElement;
    const nameEl = sheet.createDiv({ cls: "quarry-peek-name", attr: { dir: "auto" } });
    const passageEl = sheet.createDiv({ cls: "quarry-peek-passage", attr: scrollable(t("peek.title")) });
    this.#open = { sheet, passageEl, nameEl, preview: new PassagePreview(this.app, passageEl) };
    this.#show(row);
  }

  /** Opens for the row under the pointer once it rests there, until the pointer leaves the list. */
  hover(row: PlaceRow): void {
    if (this.isOpen) return; // it follows the selection
    this.#cancelFollow();
    this.#cancelFollow = this.clock.after(HOVER_MS, () => {
      this.open(row);
      this.#isHovered = true;
    });
  }

  /** The pointer left the list. */
  leave(): void {
    if (this.#isHovered || !this.isOpen) this.close();
  }

  /** Shows the passage of another row, once the selection rests on it; a row that is no place closes the sheet. */
  follow(row: Row | null): void {
    if (!this.isOpen) return;
    this.#cancelFollow();
    if (isPlace(row)) this.#cancelFollow = this.clock.after(FOLLOW_MS, () => { this.#show(row); });
    else this.close();
  }

  /** False where it was not open. */
  close(): boolean {
    const open = this.#open;
    this.#cancelFollow();
    this.#isHovered = false;
    this.#open = null; // first: what is taken away loses the focus, which closes it
    open?.sheet.remove();
    return open !== null;
  }

  override onunload(): void {
    this.close();
  }

  /** A key in the sheet, which is reached by Tab to scroll it. */
  #onKey(event: KeyboardEvent): void {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    const opener = this.#opener;
    this.close();
    if (opener && "focus" in opener) (opener as HTMLElement).focus();
  }

  #show(row: PlaceRow): void {
    this.#open?.nameEl.setText(row.hit.title);
    void this.#open?.preview.show(row);
  }
}

/** Where the sheet goes in a window of this size in pixels, as CSS: on the side of `list` that has more room. */
export function placeBeside(list: Pick<DOMRect, "left" | "right" | "top">, width: number, height: number): { left: string; top: string; width: string; maxHeight: string } {
  const [before, after] = [list.left - 2 * GAP_PX, width - list.right - 2 * GAP_PX];
  const room = Math.max(before, after);
  const isBeside = room >= MIN_WIDTH_PX;
  const sheet = Math.min(WIDTH_PX, isBeside ? room : width - 2 * GAP_PX);
  const left = !isBeside ? GAP_PX : before >= after ? list.left - GAP_PX - sheet : list.right + GAP_PX;
  const top = Math.max(GAP_PX, Math.min(list.top, height / 3));
  return { left: `${left}px`, top: `${top}px`, width: `${sheet}px`, maxHeight: `${height - top - GAP_PX}px` };
}
