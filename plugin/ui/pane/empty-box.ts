/** Finds out what an empty search box offers: examples and related notes. Out of sight, or with a query, it asks nothing. */
import { type App, Component } from "obsidian";
import { type Cancel } from "../../clock";
import { Emitter } from "../../emitter";
import { exampleTemplates } from "../../i18n/rows";
import { fileName } from "../../pane/note-name";
import { type ResultSource, type SearchState } from "../../search/answer";
import { type RelatedSource } from "../../search/related-source";
import { type Pending, type Requester } from "../../sidecar/client";
import { watchSight } from "../list/elements";
import { openNote, relatedSource } from "../list/related-notes";
import { type PlaceServices, type ResultList } from "../list/result-list";

const FOLLOW_MS = 300; // after another note was opened, so that going through tabs asks nothing

export interface EmptyBoxParts extends Pick<PlaceServices, "client" | "clock" | "engine" | "indexUpdated"> {
  readonly app: App;
  /** The search of the box. */
  readonly search: ResultSource;
  readonly list: ResultList;
  readonly el: HTMLElement;
}

export class EmptyBox extends Component {
  readonly #examples: ExampleSource;
  readonly #related: RelatedSource;
  #isInSight = false;
  #isActive = false;
  /** The related notes may have changed. */
  #isDue = false;
  #path: string | null = null;
  #cancelFollow: Cancel = () => undefined;

  constructor(private readonly parts: EmptyBoxParts) {
    super();
    const { app, client, clock, list } = parts;
    this.#examples = new ExampleSource(client, exampleTemplates);
    this.#related = relatedSource(app, client, clock, () => list.view.room.asked);
  }

  override onload(): void {
    const { app, engine, indexUpdated, search, list, el } = this.parts;
    const update = (): void => { this.#update(); };
    const follow = (): void => { this.#followSoon(); };
    this.registerEvent(app.workspace.on("active-leaf-change", follow));
    this.registerEvent(app.workspace.on("file-open", follow));
    this.register(search.changed.listen(update));
    this.register(engine.changed.listen(update));
    this.register(indexUpdated.listen(() => {
      this.#isDue = true;
      follow();
    }));
    this.register(this.#examples.changed.listen((examples) => { list.dispatch({ kind: "offered", offers: { examples } }); }));
    this.register(this.#related.changed.listen((state) => { this.#onRelated(state); }));
    watchSight(this, el, (isInSight) => {
      this.#isInSight = isInSight;
      update();
    });
  }

  override onunload(): void {
    this.#stop();
  }

  #update(): void {
    const { search, engine } = this.parts;
    const isActive = this.#isInSight && search.state.kind === "idle" && engine.state.kind === "live";
    if (isActive === this.#isActive) return;
    this.#isActive = isActive;
    if (isActive) this.#follow();
    else this.#stop();
  }

  #stop(): void {
    this.#cancelFollow();
    this.#examples.close();
    this.#related.close();
    this.#isDue = true;
  }

  #followSoon(): void {
    if (!this.#isActive) return;
    this.#cancelFollow();
    this.#cancelFollow = this.parts.clock.after(FOLLOW_MS, () => { this.#follow(); });
  }

  #follow(): void {
    this.#cancelFollow();
    void this.#examples.ask();
    const path = openNote(this.parts.app, null)?.path ?? null;
    if (path !== this.#path) {
      this.#path = path;
      this.#related.show(path === null ? null : { path, text: null, names: [] });
    } else if (this.#isDue) {
      this.#related.refresh();
    }
    this.#isDue = false;
  }

  #onRelated(state: SearchState): void {
    if (state.kind === "searching") return; // the rows of the note before stay that long
    const related = state.kind === "results" ? { name: fileName(state.answer.query), answer: state.answer } : null;
    this.parts.list.dispatch({ kind: "offered", offers: { related } });
  }
}

const WANTED = 3;

export class ExampleSource {
  readonly changed = new Emitter<readonly string[]>();
  #found: readonly string[] | null = null;
  #pending: Pending<unknown> | null = null;

  /** `templates` are questions with `{topic}` in place of a name. */
  constructor(
    private readonly client: Requester,
    private readonly templates: () => readonly string[],
  ) {}

  /** Asks for them, unless there are enough: those that a person has seen stay. */
  async ask(): Promise<void> {
    if (this.#pending || (this.#found && this.#found.length >= WANTED)) return;
    const pending = this.client.request("search/examples", { templates: [...this.templates()], limit: WANTED });
    this.#pending = pending;
    const reply = await pending.reply;
    if (this.#pending !== pending) return;
    this.#pending = null;
    const found = reply.ok ? reply.value.examples.map(({ query }) => query) : []; // an engine of an earlier version has none
    if (this.#found && found.join("\n") === this.#found.join("\n")) return;
    this.#found = found;
    this.changed.emit(found);
  }

  close(): void {
    this.#pending?.cancel();
    this.#pending = null;
  }
}
