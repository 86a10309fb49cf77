/** A short log of events that need no notice, for the copied diagnostics. It never contains a path or text of a note. */

const LINE_LIMIT = 50; // an event that repeats for hours must not grow the report for hours

/** Appends one line to a log. */
export type WriteLog = (line: string) => void;

export class DiagnosticLog {
  #lines: readonly string[] = [];

  readonly log: WriteLog = (line) => {
    this.#lines = [...this.#lines, line].slice(-LINE_LIMIT);
  };

  /** The last lines, oldest first; empty when nothing was logged. */
  get text(): string {
    return this.#lines.join("\n");
  }
}
