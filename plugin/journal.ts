/** What the plugin noticed and nobody needs to see at once: a few lines for a bug report. No paths, no text of notes. */

const LINE_LIMIT = 50; // what repeats for hours must not grow for hours

/** Takes down one line. */
export type Remark = (line: string) => void;

export class Journal {
  private lines: readonly string[] = [];

  readonly remark: Remark = (line) => {
    this.lines = [...this.lines, line].slice(-LINE_LIMIT);
  };

  /** The last lines, oldest first; empty where nothing was remarked. */
  get text(): string {
    return this.lines.join("\n");
  }
}
