/** Which query did the box hold before it was emptied in one step? Pure. */

/**
 * The query that undo brings back into an empty box.
 *
 * The browser's own undo does not know a text that a button removed. Letters deleted one by one are left to it.
 */
export class ClearedQuery {
  private text = "";
  private cleared: string | null = null;

  /** Takes the box's text after each change. */
  observe(text: string): void {
    if (text === this.text) return;
    if (text === "") this.cleared = this.text.length > 1 ? this.text : null;
    this.text = text;
  }

  /** The query to bring back; null while the box holds text or was emptied letter by letter. */
  get restorable(): string | null {
    return this.text === "" ? this.cleared : null;
  }
}
