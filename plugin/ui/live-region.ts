/** How are changes of the pane told to a screen reader? */
const INAUDIBLE = "\u00a0"; // a screen reader announces a text that changed, and reads no space at its end

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

  /** Announces `text`, also when it equals what was announced before: an event that happens twice is told twice. */
  announceEvent(text: string): void {
    this.el.setText(this.el.textContent === text ? text + INAUDIBLE : text);
  }
}
