/**
 * The elements of one hit: created once, then changed only where they differ. Note text enters as text nodes, never as
 * HTML: in Obsidian's window a script in a note would have access to the whole machine.
 */
import { setIcon } from "obsidian";
import { type Clock } from "../../clock";
import { type DocumentKind } from "../../document-kind";
import { ageWords } from "../../i18n/formatting";
import { furtherPassagesWords, kindWords, mapsWords, missingWordsLabel, modifiedWords, morePassages, reasonTip, reasonWords, rowLabel } from "../../i18n/rows";
import { t } from "../../i18n/translate";
import { type HitRow, type Row } from "../../pane/rows";
import { type Passage } from "../../protocol/messages";
import { type FurtherPassages, passagesOf } from "../../search/passage-loader";
import { type Room } from "../../snippet/excerpt";
import { delayedFlag, initOption, setText, showText } from "./elements";
import { NO_NOTES, PassageBlock, showMarked } from "./passage-block";
import { type RowView } from "./row-views";

const TAGS_SHOWN = 2; // more take the room of the name
/** Those that Obsidian uses for the same files. */
const KIND_ICONS = { canvas: "layout-dashboard", pdf: "file-text" } as const;

export class HitView implements RowView {
  readonly el: HTMLElement;
  readonly #main: HTMLElement;
  readonly #saidEl: HTMLElement;
  readonly #titleEl: HTMLElement;
  readonly #asideEl: HTMLElement;
  readonly #folderEl: HTMLElement;
  readonly #mapsEl: HTMLElement;
  readonly #tagsEl: HTMLElement;
  readonly #kindEl: HTMLElement;
  readonly #reasonEl: HTMLElement;
  readonly #countEl: HTMLElement;
  readonly #ageEl: HTMLElement;
  readonly #best: PassageBlock;
  readonly #further: FurtherPassagesList;
  #row: HitRow | null = null;
  #room: Room | null = null;

  readonly #dismissedEl: HTMLElement;
  readonly #undoEl: HTMLElement;

  /** An empty row that is not in the document yet. */
  constructor(clock: Clock) {
    this.el = createDiv({ cls: "tree-item search-result quarry-hit", attr: { role: "group" } });
    this.#main = initOption(this.el.createDiv({ cls: "quarry-option", attr: { draggable: "true" } }));
    // What a screen reader reads, as text and not as a label: its words are not those that are seen, in their order.
    this.#saidEl = this.#main.createSpan({ cls: "quarry-said" });
    const head = this.#main.createDiv({ cls: "tree-item-self search-result-file-title is-clickable", attr: { "aria-hidden": "true" } });
    const names = head.createDiv({ cls: "tree-item-inner quarry-names" });
    this.#titleEl = names.createSpan({ cls: "quarry-title", attr: { dir: "auto" } });
    this.#asideEl = names.createSpan({ cls: "quarry-aside", attr: { dir: "auto" } });
    this.#folderEl = names.createSpan({ cls: "quarry-folder", attr: { dir: "auto" } });
    this.#mapsEl = names.createSpan({ cls: "quarry-folder quarry-row-maps", attr: { dir: "auto" } });
    this.#tagsEl = head.createSpan({ cls: "quarry-tags" });
    const flair = head.createDiv({ cls: "tree-item-flair-outer" });
    this.#kindEl = flair.createSpan({ cls: "tree-item-flair quarry-kind" });
    this.#reasonEl = flair.createSpan({ cls: "tree-item-flair quarry-why" });
    this.#countEl = flair.createSpan({ cls: "tree-item-flair quarry-unfold" });
    this.#ageEl = flair.createSpan({ cls: "tree-item-flair quarry-age" });
    // Written when it is looked for: dates take longer to write than all else of a row.
    this.#ageEl.addEventListener("pointerenter", () => { this.#ageEl.title = this.#row ? modifiedWords(this.#row.hit.modifiedMs) : ""; });
    this.#best = new PassageBlock(this.#main.createDiv({ cls: "search-result-file-match quarry-passage", attr: { "aria-hidden": "true" } }));
    this.#dismissedEl = this.#main.createDiv({ cls: "quarry-dismissed is-hidden", text: t("write.dismissed") });
    // For the mouse, as a listbox contains options only; the keyboard has the row's menu.
    this.#undoEl = this.#dismissedEl.createSpan({ cls: "quarry-undo", text: t("write.undo"), attr: { "aria-hidden": "true" } });
    this.#further = new FurtherPassagesList(this.el, clock);
  }

  show(row: Row, nowMs: number, room: Room): void {
    if (row.kind !== "hit") return;
    const before = this.#row;
    this.#row = row;
    if (before && this.#room === room && JSON.stringify(before) === JSON.stringify(row)) return;
    this.#room = room;
    const { hit, name, further } = row;
    this.#showNames(row);
    this.#showFlair(row);
    this.el.toggleClass("is-weak", row.isWeak);
    this.el.toggleClass("is-dismissed", row.isDismissed);
    this.#dismissedEl.toggleClass("is-hidden", !row.isDismissed);
    this.#best.show(row.passage, hit.title, room, { missing: missingWordsLabel(row.missing), maps: mapsWords(hit.maps) }, row.context);
    showText(this.#mapsEl, this.#best.hasMeta ? "" : mapsWords(hit.maps)); // not in a line of their own
    this.#further.show(further, hit.furtherPassages, hit.title, room, row.furtherContexts);
    this.el.setAttrs({ "aria-label": name.text, "aria-busy": further.kind === "loading" ? "true" : null });
    this.#main.setAttr("data-expanded", hit.furtherPassages === 0 ? null : String(this.#further.isExpanded)); // ARIA has it for no option: the list's announcement tells
    this.updateAge(nowMs);
  }

  updateAge(nowMs: number): void {
    if (!this.#row) return;
    const { modifiedMs } = this.#row.hit;
    const age = ageWords(nowMs - modifiedMs);
    setText(this.#ageEl, age);
    setText(this.#saidEl, rowLabel(this.#row, age, this.#best.text));
  }

  get options(): readonly HTMLElement[] {
    return [this.#main, ...this.#further.elements];
  }

  isUnfolder(target: Node): boolean {
    return this.#countEl.contains(target) || this.#further.isLine(target);
  }

  isUndo(target: Node): boolean {
    return this.#undoEl.contains(target);
  }

  #showNames({ name, hit }: HitRow): void {
    showMarked(this.#titleEl, name.text, name.marks);
    this.#titleEl.title = hit.path;
    showMarked(this.#asideEl, name.aside?.text ?? "", name.aside?.marks ?? []);
    this.#asideEl.toggleClass("is-hidden", name.aside === null);
    showText(this.#folderEl, name.folder ?? "");
    const tags = hit.tags.slice(0, TAGS_SHOWN).map((tag) => `#${tag}`);
    if (this.#tagsEl.textContent === tags.join("")) return;
    this.#tagsEl.empty();
    for (const text of tags) this.#tagsEl.createSpan({ cls: "quarry-tag", text, attr: { dir: "auto" } });
  }

  #showFlair(row: HitRow): void {
    this.#showKind(row.hit.kind);
    const count = row.hit.furtherPassages;
    showText(this.#reasonEl, reasonWords(row));
    this.#reasonEl.title = reasonTip(row);
    setText(this.#countEl, count === 0 ? "" : `+${count}`);
    this.#countEl.title = count === 0 ? "" : morePassages(count);
    this.#countEl.toggleClass("is-hidden", count === 0);
  }

  /** An icon and a word for a file that is no note. */
  #showKind(kind: DocumentKind): void {
    if (this.#kindEl.dataset["kind"] === kind) return;
    this.#kindEl.dataset["kind"] = kind;
    this.#kindEl.empty();
    this.#kindEl.toggleClass("is-hidden", kind === "note");
    if (kind === "note") return;
    setIcon(this.#kindEl.createSpan({ cls: "quarry-kind-icon" }), KIND_ICONS[kind]);
    this.#kindEl.createSpan({ text: kindWords(kind) });
  }
}

class FurtherPassagesList {
  readonly #lineEl: HTMLElement;
  readonly #textEl: HTMLElement;
  readonly #retryEl: HTMLElement;
  readonly #listEl: HTMLElement;
  readonly #setSlow: (isSet: boolean) => void;
  #isSlow = false;
  #blocks: readonly PassageBlock[] = [];
  #state: FurtherPassages = { kind: "folded" };
  #count = 0;

  constructor(parent: HTMLElement, clock: Clock) {
    // For the mouse; the keyboard uses Alt+Down. A listbox contains options only, so this is hidden from screen readers.
    this.#lineEl = parent.createDiv({ cls: "quarry-more", attr: { "aria-hidden": "true" } });
    this.#textEl = this.#lineEl.createSpan();
    this.#retryEl = this.#lineEl.createSpan({ cls: "quarry-retry" });
    this.#listEl = parent.createDiv({ cls: "quarry-others" });
    this.#setSlow = delayedFlag(clock, (isSlow) => {
      this.#isSlow = isSlow;
      this.#showLine();
    });
  }

  /** `count`: how many further passages the hit has. `contexts`: of each that is shown, where it is shown at length. */
  show(state: FurtherPassages, count: number, title: string, room: Room, contexts: readonly (Passage | null)[] = []): void {
    this.#state = state;
    this.#count = count;
    this.#setSlow(state.kind === "loading");
    this.#showLine();
    this.#showBlocks(passagesOf(state), title, room, contexts);
  }

  get isExpanded(): boolean {
    return this.#state.kind === "loading" || this.#state.kind === "unfolded";
  }

  /** The elements of the passages that are shown. */
  get elements(): readonly HTMLElement[] {
    return this.#blocks.map(({ el }) => el);
  }

  isLine(target: Node): boolean {
    return this.#lineEl.contains(target);
  }

  #showLine(): void {
    setText(this.#textEl, this.#count === 0 ? "" : furtherPassagesWords(this.#state, this.#count, this.#isSlow));
    const isQuick = this.#state.kind === "loading" && !this.#isSlow && this.#blocks.length === 0;
    this.#lineEl.toggleClass("is-hidden", this.#count === 0 || this.#state.kind === "folded" || isQuick); // the head of the row counts them
    setText(this.#retryEl, this.#state.kind === "failed" ? t("pane.retry") : "");
  }

  #showBlocks(passages: readonly Passage[], title: string, room: Room, contexts: readonly (Passage | null)[]): void {
    for (const block of this.#blocks.slice(passages.length)) block.el.remove();
    this.#blocks = passages.map((passage, index) => {
      const block = this.#blocks[index] ?? new PassageBlock(initOption(this.#listEl.createDiv({ cls: "quarry-option search-result-file-match quarry-passage", attr: { draggable: "true" } })));
      block.show(passage, title, room, NO_NOTES, contexts[index] ?? null);
      return block;
    });
  }
}
