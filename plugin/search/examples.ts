/** Queries to try, which the engine makes from the vault. */
import { Emitter } from "../emitter";
import { type Pending, type Requester } from "../sidecar/client";

const WANTED = 3;

export class ExampleSource {
  readonly changed = new Emitter<readonly string[]>();
  private found: readonly string[] | null = null;
  private pending: Pending<unknown> | null = null;

  /** `templates` are questions with `{topic}` where a name is to stand. */
  constructor(
    private readonly client: Requester,
    private readonly templates: () => readonly string[],
  ) {}

  /** Asks for them, unless there are enough: those that a person has seen stay. */
  async ask(): Promise<void> {
    if (this.pending || (this.found && this.found.length >= WANTED)) return;
    const pending = this.client.request("search/examples", { templates: [...this.templates()], limit: WANTED });
    this.pending = pending;
    const reply = await pending.reply;
    if (this.pending !== pending) return;
    this.pending = null;
    const found = reply.ok ? reply.value.examples.map(({ query }) => query) : []; // an engine of an earlier version has none
    if (this.found && found.join("\n") === this.found.join("\n")) return;
    this.found = found;
    this.changed.emit(found);
  }

  close(): void {
    this.pending?.cancel();
    this.pending = null;
  }
}
