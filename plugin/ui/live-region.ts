/**
 * Announcements for screen readers: the state of the pane when it changes, and single events.
 *
 * The element is clipped, never hidden: screen readers skip a live region that was hidden when its text changed.
 */
export class LiveRegion {
  private state = "";

  constructor(private readonly el: HTMLElement) {}

  /** Announces the state of the pane, unless it is the one announced last. */
  announceState(text: string): void {
    if (text === this.state) return;
    this.state = text;
    this.el.setText(text);
  }

  announceEvent(text: string): void {
    if (this.el.textContent !== text) this.el.setText(text);
  }
}
