/** Rows that answer an earlier question look so, once they have for longer than most answers take. */
import { type Cancel, type Clock } from "../clock";

const PATIENCE_MS = 150; // an answer that comes within it, as most do, leaves the rows as they are

export class StaleMark {
  private isStale = false;
  private cancel: Cancel = () => undefined;

  constructor(
    private readonly el: HTMLElement,
    private readonly clock: Clock,
  ) {}

  show(isStale: boolean): void {
    if (isStale === this.isStale) return;
    this.isStale = isStale;
    this.cancel();
    if (isStale) this.cancel = this.clock.after(PATIENCE_MS, () => { this.el.addClass("is-stale"); });
    else this.el.removeClass("is-stale");
  }
}
