/** The search pane in a document, with an engine, a client and a clock that the test moves. */
import { emptyBody, one, texts } from "./dom";
import { type WorkspaceLeaf } from "obsidian";
import { vi } from "vitest";
import { type Mode } from "../../../plugin/protocol/messages";
import { SearchSession } from "../../../plugin/search/session";
import { tieredRequester } from "../../../plugin/search/tiers";
import { Emitter } from "../../../plugin/emitter";
import { type PaneParts, type PanePreferences } from "../../../plugin/ui/pane/pane-commands";
import { SearchView } from "../../../plugin/ui/pane/search-view";
import { type EngineActionId } from "../../../plugin/pane/commands";
import { FakeClient, hit, manualClock, recordedCommands, searchResult, settled, TestEngine } from "../builders";

/** jsdom lays nothing out, so nothing comes into sight: what an empty box offers is tried end to end. */
class NeverInSight {
  observe(): void {
    // never
  }

  disconnect(): void {
    // there is nothing to end
  }
}

export class TestPane {
  readonly client = new FakeClient();
  readonly clock = manualClock();
  readonly engine = new TestEngine();
  readonly indexUpdated = new Emitter<void>();
  readonly acted: EngineActionId[] = [];
  readonly copied: string[] = [];
  /** No note is called as any query. */
  offersNote = false;
  /** How often the focus went back to the note. */
  returned = 0;
  history: string[] = [];
  saved: string[] = [];
  preferences: PanePreferences = { mode: "hybrid", limit: 30, naming: "file", density: "normal" };
  readonly view: SearchView;

  constructor() {
    // The stand-in for Obsidian looks for its app under a name of its own.
    const app = { vault: { getMarkdownFiles: () => [], getAllFolders: () => [], getFiles: () => [], getFileByPath: () => null }, metadataCache: { getFirstLinkpathDest: () => (this.offersNote ? null : {}), getFileCache: () => null }, workspace: { on: () => ({}), getActiveFile: () => null, getMostRecentLeaf: () => ({}), setActiveLeaf: () => { this.returned += 1; }, requestSaveLayout: () => Promise.resolve() } };
    this.view = new SearchView({ app__: app } as unknown as WorkspaceLeaf, this.#parts());
  }

  async open(): Promise<void> {
    await this.clock.advance(1_000);
    vi.stubGlobal("IntersectionObserver", NeverInSight);
    emptyBody().append(this.view.contentEl);
    this.view.load();
    await (this.view as unknown as { onOpen(): Promise<void> }).onOpen();
  }

  async close(): Promise<void> {
    await (this.view as unknown as { onClose(): Promise<void> }).onClose();
  }

  input(): HTMLInputElement {
    return one(this.view.contentEl, "input") as HTMLInputElement;
  }

  panel(): HTMLElement {
    return one(this.view.contentEl, ".quarry-panel");
  }

  titles(): string[] {
    return texts(this.view.contentEl, ".quarry-title");
  }

  selected(): string[] {
    return texts(this.view.contentEl, '[aria-selected="true"] .quarry-title');
  }

  press(action: string): void {
    one(this.panel(), `[data-action="${action}"]`).click();
  }

  async type(query: string): Promise<void> {
    this.input().value = query;
    this.input().dispatchEvent(new Event("input", { bubbles: true }));
    await this.clock.advance(100);
  }

  async answer(...paths: readonly string[]): Promise<void> {
    this.client.last.answer(searchResult(...paths.map((path) => hit(path))));
    await settled();
  }

  get mode(): Mode {
    return this.preferences.mode;
  }

  #parts(): PaneParts {
    const preferencesChanged = new Emitter<void>();
    const changed = new Emitter<void>();
    return {
      client: this.client,
      createSession: (tiers = () => []) => new SearchSession(tieredRequester(this.client, tiers), this.clock, { mode: this.mode, limit: 30, snippetWidth: 120 }),
      clock: this.clock,
      engine: this.engine,
      indexUpdated: this.indexUpdated,
      preferences: () => this.preferences,
      preferencesChanged,
      savePreferences: (change) => {
        this.preferences = { ...this.preferences, ...change };
        preferencesChanged.emit();
      },
      history: {
        changed,
        all: () => this.history,
        add: (query) => {
          this.history = [query, ...this.history];
        },
        forget: (query) => {
          this.history = this.history.filter((past) => past !== query);
          changed.emit();
        },
        clear: () => {
          this.history = [];
          changed.emit();
        },
        saved: () => this.saved,
        toggleSaved: (query) => {
          this.saved = this.saved.includes(query) ? this.saved.filter((other) => other !== query) : [query, ...this.saved];
          changed.emit();
        },
      },
      copy: (text) => this.copied.push(text),
      lastEditor: { view: null },
      engineCommands: recordedCommands(this.acted),
    };
  }
}
