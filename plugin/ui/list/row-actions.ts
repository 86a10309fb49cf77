/** Opens, inserts and copies rows, and reports that to the engine. */
import { type App, type MarkdownView, Notice } from "obsidian";
import { type PlaceRow } from "../../pane/rows";
import { type FeedbackKind, type Passage } from "../../protocol/messages";
import { t } from "../../i18n/translate";
import { ConfirmModal } from "../dialogs/modals";
import { type Insertion, insertRows } from "./insert";
import { linksTo } from "./links";
import { openHit } from "./open";
import { type OpenWhere, type RowHandlers } from "./row-commands";

const MANY = 10; // tabs that one opens without being asked

export interface RowActionParts {
  readonly app: App;
  /** The note that was used last, which is written into. */
  readonly lastEditor: { readonly view: MarkdownView | null };
  readonly copy: (text: string, win?: Window) => void;
  /** The window of the list, whose clipboard is used. */
  readonly win: () => Window;
  /** A row is about to be opened. */
  readonly opening: (row: PlaceRow) => void;
  readonly report: (path: string, kind: FeedbackKind) => void;
  readonly setDismissed: (path: string, isDismissed: boolean) => void;
  readonly explain: () => ((path: string) => void) | null;
  readonly setContext: () => RowHandlers["setContext"];
}

export class RowActions implements RowHandlers {
  constructor(private readonly parts: RowActionParts) {}

  get explain(): ((path: string) => void) | null {
    return this.parts.explain();
  }

  get setContext(): RowHandlers["setContext"] {
    return this.parts.setContext();
  }

  readonly open = (rows: readonly PlaceRow[], where: OpenWhere): void => {
    const openAll = (): void => void this.#openAll(rows, rows.length > 1 && where !== "background" ? "tab" : where);
    if (rows.length > MANY) new ConfirmModal(this.parts.app, { title: t("write.openMany", { count: rows.length }), confirm: t("write.openAll") }, openAll).open();
    else openAll();
  };

  readonly openNote = (path: string): void => void this.#openPlace(path, null, false);

  readonly insert = (rows: readonly PlaceRow[], what: Insertion): void => {
    const { app, lastEditor } = this.parts;
    void insertRows(app, lastEditor.view, rows, what).then((refusal) => {
      if (refusal === null) this.#reportAll(rows, "inserted");
      else new Notice(refusal);
    });
  };

  readonly copyLinks = (rows: readonly PlaceRow[]): void => {
    const { app, copy, win } = this.parts;
    const links = linksTo(app, rows, this.sourcePath);
    if (links.length === 0) {
      new Notice(t("notice.noteGone"));
      return;
    }
    copy(links.join("\n"), win());
    this.#reportAll(rows, "copied");
  };

  readonly copyText = (row: PlaceRow): void => {
    this.parts.copy(row.passage?.snippet ?? "", this.parts.win());
    this.#reportAll([row], "copied");
  };

  readonly dismiss = (rows: readonly PlaceRow[], isDismissed: boolean): void => {
    for (const path of pathsOf(rows)) this.parts.setDismissed(path, isDismissed);
    this.#reportAll(rows, isDismissed ? "dismissed" : "restored");
  };

  /** The note that links are most likely meant for. */
  get sourcePath(): string {
    return this.parts.lastEditor.view?.file?.path ?? this.parts.app.workspace.getActiveFile()?.path ?? "";
  }

  /** One after the other, so that the tabs have the order of the rows; the first gets the focus. */
  async #openAll(rows: readonly PlaceRow[], where: OpenWhere): Promise<void> {
    let isActive = where !== "background";
    for (const row of rows) {
      this.parts.opening(row);
      this.parts.report(row.hit.path, "opened");
      await this.#openPlace(row.hit.path, row.passage, where === "background" ? "tab" : where, isActive);
      isActive = false;
    }
  }

  async #openPlace(path: string, passage: Passage | null, where: Exclude<OpenWhere, "background">, isActive = true): Promise<void> {
    if (!(await openHit(this.parts.app, path, passage, where, isActive))) new Notice(t("notice.noteGone"));
  }

  #reportAll(rows: readonly PlaceRow[], kind: FeedbackKind): void {
    for (const path of pathsOf(rows)) this.parts.report(path, kind);
  }
}

function pathsOf(rows: readonly PlaceRow[]): readonly string[] {
  return [...new Set(rows.map(({ hit }) => hit.path))];
}
