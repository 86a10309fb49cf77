/** Finds out what an empty search box offers: examples and related notes. Out of sight, or with a query, it asks nothing. */
import { type App } from "obsidian";
import { type Cancel } from "../../clock";
import { currentLanguage } from "../../i18n/translate";
import { fileName } from "../../pane/note-name";
import { type ResultSource } from "../../search/answer";
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

/** Offers them in `list` until it is unloaded. */
export function fillEmptyBox({ app, client, clock, engine, indexUpdated, search, list, el }: EmptyBoxParts): void {
  const examples = exampleSource(client, (found) => { list.dispatch({ kind: "offered", offers: { examples: found } }); });
  const related = relatedSource(app, client, clock, () => list.view.room.asked);
  let isInSight = false;
  let isActive = false;
  let isDue = false; // the related notes may have changed
  let shownPath: string | null = null;
  let cancelFollow: Cancel = () => undefined;

  const stop = (): void => {
    cancelFollow();
    examples.close();
    related.close();
    isDue = true;
  };
  const follow = (): void => {
    cancelFollow();
    void examples.ask();
    const path = openNote(app, null)?.path ?? null;
    if (path !== shownPath) {
      shownPath = path;
      related.show(path === null ? null : { path, text: null, names: [] });
    } else if (isDue) {
      related.refresh();
    }
    isDue = false;
  };
  const followSoon = (): void => {
    if (!isActive) return;
    cancelFollow();
    cancelFollow = clock.after(FOLLOW_MS, follow);
  };
  const update = (): void => {
    const was = isActive;
    isActive = isInSight && search.state.kind === "idle" && engine.state.kind === "live";
    if (isActive === was) return;
    if (isActive) follow();
    else stop();
  };
  list.register(stop);
  list.registerEvent(app.workspace.on("active-leaf-change", followSoon));
  list.registerEvent(app.workspace.on("file-open", followSoon));
  list.register(search.changed.listen(update));
  list.register(engine.changed.listen(update));
  list.register(indexUpdated.listen(() => {
    isDue = true;
    followSoon();
  }));
  list.register(related.changed.listen((state) => {
    if (state.kind === "searching") return; // the rows of the note before stay that long
    const offer = state.kind === "results" ? { name: fileName(state.answer.query), answer: state.answer } : null;
    list.dispatch({ kind: "offered", offers: { related: offer } });
  }));
  watchSight(list, el, (isSeen) => {
    isInSight = isSeen;
    update();
  });
}

const WANTED = 3;

export interface ExampleSource {
  /** Asks for them, unless there are enough: those that a person has seen stay. */
  ask(): Promise<void>;
  close(): void;
}

/** `changed` takes the examples when they are others than before. */
export function exampleSource(client: Requester, changed: (examples: readonly string[]) => void): ExampleSource {
  let found: readonly string[] | null = null;
  let pending: Pending<unknown> | null = null;
  const ask = async (): Promise<void> => {
    if (pending || (found && found.length >= WANTED)) return;
    const asked = client.request("search/examples", { language: currentLanguage(), limit: WANTED });
    pending = asked;
    const reply = await asked.reply;
    if (pending !== asked) return;
    pending = null;
    const examples = reply.ok ? reply.value.examples.map(({ query }) => query) : []; // an engine of an earlier version has none
    if (found && examples.join("\n") === found.join("\n")) return;
    found = examples;
    changed(examples);
  };
  const close = (): void => {
    pending?.cancel();
    pending = null;
  };
  return { ask, close };
}
