/**
 * The further passages of one hit: the line that unfolds them, and the passages below it.
 *
 * The line is above the passages, so it stays where it was pressed when they appear or disappear.
 */
import { type Clock } from "../clock";
import { type Passage } from "../protocol/messages";
import { type FurtherPassages, passagesOf } from "../search/passage-loader";
import { type Room } from "../snippet/excerpt";
import { DelayedFlag } from "./delayed-flag";
import { initOption } from "./active-option";
import { NO_NOTES, PassageBlock, setText } from "./passage-block";
import { t } from "../i18n/translate";
import { furtherPassagesWords } from "../i18n/rows";

export class FurtherPassagesList {
  private readonly lineEl: HTMLElement;
  private readonly textEl: HTMLElement;
  private readonly retryEl: HTMLElement;
  private readonly listEl: HTMLElement;
  private readonly slow: DelayedFlag;
  private isSlow = false;
  private blocks: readonly PassageBlock[] = [];
  private state: FurtherPassages = { kind: "folded" };
  private count = 0;

  constructor(parent: HTMLElement, clock: Clock) {
    // For the mouse; the keyboard uses Alt+Down. A listbox contains options only, so this is hidden from screen readers.
    this.lineEl = parent.createDiv({ cls: "quarry-more", attr: { "aria-hidden": "true" } });
    this.textEl = this.lineEl.createSpan();
    this.retryEl = this.lineEl.createSpan({ cls: "quarry-retry" });
    this.listEl = parent.createDiv({ cls: "quarry-others" });
    this.slow = new DelayedFlag(clock, (isSlow) => {
      this.isSlow = isSlow;
      this.showLine();
    });
  }

  /** `count`: how many further passages the hit has. `contexts`: of each that is shown, where it is shown at length. */
  show(state: FurtherPassages, count: number, title: string, room: Room, contexts: readonly (Passage | null)[] = []): void {
    this.state = state;
    this.count = count;
    this.slow.set(state.kind === "loading");
    this.showLine();
    this.showBlocks(passagesOf(state), title, room, contexts);
  }

  get isExpanded(): boolean {
    return this.state.kind === "loading" || this.state.kind === "unfolded";
  }

  /** The elements of the passages that are shown. */
  get elements(): readonly HTMLElement[] {
    return this.blocks.map(({ el }) => el);
  }

  isLine(target: Node): boolean {
    return this.lineEl.contains(target);
  }

  private showLine(): void {
    setText(this.textEl, this.count === 0 ? "" : furtherPassagesWords(this.state, this.count, this.isSlow));
    const isQuick = this.state.kind === "loading" && !this.isSlow && this.blocks.length === 0;
    this.lineEl.toggleClass("is-hidden", this.count === 0 || this.state.kind === "folded" || isQuick); // the head of the row counts them
    setText(this.retryEl, this.state.kind === "failed" ? t("pane.retry") : "");
  }

  private showBlocks(passages: readonly Passage[], title: string, room: Room, contexts: readonly (Passage | null)[]): void {
    for (const block of this.blocks.slice(passages.length)) block.el.remove();
    this.blocks = passages.map((passage, index) => {
      const block = this.blocks[index] ?? this.createBlock();
      block.show(passage, title, room, NO_NOTES, contexts[index] ?? null);
      return block;
    });
  }

  private createBlock(): PassageBlock {
    const el = this.listEl.createDiv({ cls: "quarry-option search-result-file-match quarry-passage", attr: { draggable: "true" } });
    initOption(el);
    return new PassageBlock(el);
  }
}
