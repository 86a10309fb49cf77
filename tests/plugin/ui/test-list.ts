/** A list of results in a document, over a source whose answers the test gives. */
import { emptyBody, texts } from "./dom";
import { type App, type TFile } from "obsidian";
import { vi } from "vitest";
import { Emitter } from "../../../plugin/emitter";
import { paneKey } from "../../../plugin/pane/keys";
import { type PaneModel } from "../../../plugin/pane/model";
import { type FeedbackKind, type Passage } from "../../../plugin/protocol/messages";
import { type Answer, type ResultSource, type SearchState } from "../../../plugin/search/answer";
import { type FurtherPassages } from "../../../plugin/search/passage-loader";
import { ListView } from "../../../plugin/ui/list/list-view";
import { type ListParts, ResultList } from "../../../plugin/ui/list/result-list";
import { answer, manualClock, TestEngine } from "../builders";

/** A source that answers what the test says, and writes down what it was asked. */
export class TestSource implements ResultSource {
  readonly changed = new Emitter<SearchState>();
  readonly asked: string[] = [];
  state: SearchState = { kind: "idle" };
  #further: FurtherPassages = { kind: "folded" };
  readonly passages = {
    changed: new Emitter<string>(),
    stateOf: (): FurtherPassages => this.#further,
    unfold: (path: string): void => { this.asked.push(`unfold ${path}`); },
    fold: (path: string): void => { this.asked.push(`fold ${path}`); },
  };

  answer(fields: Partial<Answer>, isRefresh = false): void {
    this.state = { kind: "results", answer: answer(fields), isRefresh };
    this.changed.emit(this.state);
  }

  setFurther(path: string, further: FurtherPassages): void {
    this.#further = further;
    this.passages.changed.emit(path);
  }

  /** What the engine quotes of every passage; null: the passage is gone. */
  wide: Passage | null = null;

  async widePassage(): Promise<Passage | null> {
    return Promise.resolve(this.wide);
  }

  more(): void {
    this.asked.push("more");
  }

  refresh(): void {
    this.asked.push("refresh");
  }

  freezeRows(): void {
    this.asked.push("freeze");
  }

  report(path: string, kind: FeedbackKind): void {
    this.asked.push(`${kind} ${path}`);
  }

  close(): void {
    this.asked.push("close");
  }
}

export class TestList {
  readonly source = new TestSource();
  readonly engine = new TestEngine();
  readonly indexUpdated = new Emitter<void>();
  readonly clock = manualClock();
  readonly opened: string[] = [];
  readonly copied: string[] = [];
  readonly drawn: PaneModel[] = [];
  readonly el = emptyBody().createDiv();
  readonly list: ResultList;

  constructor(parts: Partial<ListParts> = {}) {
    const view = new ListView(this.el, this.el.createDiv(), null, { clock: this.clock });
    const leaf = { openFile: async (file: TFile) => { this.opened.push(file.path); return Promise.resolve(); }, view: {} };
    const app = {
      vault: { getFileByPath: (path: string) => ({ path }), cachedRead: async () => Promise.resolve("") },
      workspace: { getLeaf: () => leaf, trigger: vi.fn(), getActiveFile: () => null },
      metadataCache: { getFirstLinkpathDest: () => null, getFileCache: () => null },
      fileManager: { generateMarkdownLink: (file: TFile) => `[[${file.path}]]` },
    } as unknown as App;
    this.list = new ResultList(view, {
      app,
      source: this.source,
      engine: this.engine,
      indexUpdated: this.indexUpdated,
      clock: this.clock,
      preferences: () => ({ mode: "hybrid", naming: "file", density: "normal" }),
      copy: (text) => { this.copied.push(text); },
      lastEditor: { view: null },
      around: { show: (model) => { this.drawn.push(model); } },
      place: "test",
      leaf: null,
      explain: null,
      ...parts,
    });
    this.list.load();
  }

  press(key: string, modifiers: KeyboardEventInit = {}): boolean {
    const event = new KeyboardEvent("keydown", { key, ...modifiers });
    const meant = paneKey(event, false);
    return meant !== null && this.list.handleKey(meant, event);
  }

  titles(): string[] {
    return texts(this.el, ".quarry-title");
  }

  selected(): string[] {
    return texts(this.el, '[aria-selected="true"] .quarry-title');
  }
}
