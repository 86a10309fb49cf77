/**
 * The elements of one hit: created once, then changed only where they differ. Note text enters as text nodes, never as
 * HTML: in Obsidian's window a script in a note would have access to the whole machine.
 */
import { setIcon } from "obsidian";
import { type Clock } from "../../clock";
import { type DocumentKind } from "../../document-kind";
import { ageWords, shortAge } from "../../i18n/formatting";
import { furtherPassagesWords, kindWords, modifiedWords, morePassages, originWords, reasonTip, reasonWords, rowLabel, similarityWords } from "../../i18n/rows";
import { t } from "../../i18n/translate";
import { type HitRow, type Row } from "../../pane/rows";
import { type FurtherPassages, passagesOf } from "../../search/passage-loader";
import { originOf } from "../../search/tiers";
import { type Room } from "../../snippet/excerpt";
import { delayedFlag, initOption, isToDraw, setText, showAttr, showClass, showText } from "./elements";
import { type PassageBlock, passageBlock, showMarked } from "./passage-block";
import { type RowView } from "./row-views";

const TAGS_SHOWN = 2; // more take the room of the name
/** Those that Obsidian uses for the same files. */
const KIND_ICONS = { canvas: "layout-dashboard", pdf: "file-text" } as const;

/** An empty row that is not in the document yet. */
export function hitView(clock: Clock): RowView {
  const el = createDiv({ cls: "tree-item search-result quarry-hit", attr: { role: "group" } });
  const main = initOption(el.createDiv({ cls: "quarry-option", attr: { draggable: "true" } }));
  // What a screen reader reads, as text and not as a label: its words are not those that are seen, in their order.
  const saidEl = main.createSpan({ cls: "quarry-said" });
  const head = main.createDiv({ cls: "tree-item-self search-result-file-title is-clickable", attr: { "aria-hidden": "true" } });
  const names = head.createDiv({ cls: "tree-item-inner quarry-names" });
  const titleEl = names.createSpan({ cls: "quarry-title", attr: { dir: "auto" } });
  const asideEl = names.createSpan({ cls: "quarry-aside", attr: { dir: "auto" } });
  const folderEl = names.createSpan({ cls: "quarry-folder", attr: { dir: "auto" } });
  const tagsEl = head.createSpan({ cls: "quarry-tags" });
  const flair = head.createDiv({ cls: "tree-item-flair-outer" });
  const kindEl = flair.createSpan({ cls: "tree-item-flair quarry-kind" });
  const originEl = flair.createSpan({ cls: "tree-item-flair quarry-origin", attr: { dir: "auto" } });
  const reasonEl = flair.createSpan({ cls: "tree-item-flair quarry-why" });
  const strengthEl = flair.createSpan({ cls: "quarry-strength" });
  const barEl = strengthEl.createSpan();
  const countEl = flair.createSpan({ cls: "tree-item-flair quarry-unfold", attr: { dir: "ltr" } });
  const ageEl = flair.createSpan({ cls: "tree-item-flair quarry-age" });
  const best = passageBlock(main.createDiv({ cls: "search-result-file-match quarry-passage", attr: { "aria-hidden": "true" } }));
  const dismissedEl = main.createDiv({ cls: "quarry-dismissed is-hidden", text: t("write.dismissed") });
  // For the mouse, as a listbox contains options only; the keyboard has the row's menu.
  const undoEl = dismissedEl.createSpan({ cls: "quarry-undo", text: t("write.undo"), attr: { "aria-hidden": "true" } });
  const further = furtherList(el, clock);
  let shown: HitRow | null = null;
  let shownIn: Room | null = null;
  // Written when it is looked for: dates take longer to write than all else of a row.
  ageEl.addEventListener("pointerenter", () => { ageEl.title = shown ? modifiedWords(shown.hit.modifiedMs) : ""; });

  const showNames = ({ name, hit }: HitRow): void => {
    showMarked(titleEl, name.text, name.marks);
    showAttr(titleEl, "title", name.aside === null ? hit.path : `${hit.path}\n${name.aside.text}`);
    showMarked(asideEl, name.aside?.text ?? "", name.aside?.marks ?? []);
    showClass(asideEl, "is-hidden", name.aside === null);
    showText(folderEl, name.folder ?? "");
    showClass(names, "has-folder", name.folder !== null);
    const tags = hit.tags.slice(0, TAGS_SHOWN).map((tag) => `#${tag}`);
    if (tagsEl.textContent === tags.join("")) return;
    tagsEl.empty();
    for (const text of tags) tagsEl.createSpan({ cls: "quarry-tag", text, attr: { dir: "auto" } });
  };
  const showFlair = (row: HitRow): void => {
    showKind(kindEl, row.hit.kind);
    showText(originEl, originOf(row.hit)?.name ?? "");
    showAttr(originEl, "title", originWords(row.hit));
    const count = row.hit.furtherPassages;
    showText(reasonEl, reasonWords(row));
    showAttr(reasonEl, "title", reasonTip(row));
    // A bar and no number: notes are in the order of words and meaning together.
    showClass(strengthEl, "is-hidden", row.similarity === null);
    showAttr(strengthEl, "title", similarityWords(row));
    if (row.similarity !== null) barEl.setCssStyles({ width: `${Math.round(100 * row.similarity)}%` });
    showText(countEl, count === 0 ? "" : `+${count}`);
    showAttr(countEl, "title", count === 0 ? null : morePassages(count));
  };
  const updateAge = (nowMs: number): void => {
    if (!shown) return;
    const age = nowMs - shown.hit.modifiedMs;
    setText(ageEl, shortAge(age));
    setText(saidEl, rowLabel(shown, ageWords(age), best.text()));
  };
  const show = (row: Row, nowMs: number, room: Room): void => {
    if (row.kind !== "hit") return;
    const before = shown;
    shown = row;
    if (before && shownIn === room && JSON.stringify(before) === JSON.stringify(row)) return;
    shownIn = room;
    const { hit, name } = row;
    showNames(row);
    showFlair(row);
    showClass(el, "is-weak", row.isWeak);
    showClass(el, "is-dismissed", row.isDismissed);
    showClass(dismissedEl, "is-hidden", !row.isDismissed);
    best.show(row.passage, hit.title, room, row.missing, row.context);
    further.show(row, room);
    showAttr(el, "aria-label", name.text);
    showAttr(el, "aria-busy", row.further.kind === "loading" ? "true" : null);
    const isExpanded = row.further.kind === "loading" || row.further.kind === "unfolded";
    showAttr(main, "data-expanded", hit.furtherPassages === 0 ? null : String(isExpanded)); // ARIA has it for no option: the list's announcement tells
    updateAge(nowMs);
  };
  return {
    el,
    get options() { return [main, ...further.elements()]; },
    show,
    updateAge,
    isUnfolder: (target) => countEl.contains(target) || further.lineEl.contains(target),
    isUndo: (target) => undoEl.contains(target),
  };
}

/** Shows an icon and a word for a file that is no note. */
function showKind(el: HTMLElement, kind: DocumentKind): void {
  if (!isToDraw(el, kind)) return;
  el.empty();
  el.toggleClass("is-hidden", kind === "note");
  if (kind === "note") return;
  setIcon(el.createSpan({ cls: "quarry-kind-icon" }), KIND_ICONS[kind]);
  el.createSpan({ text: kindWords(kind) });
}

interface FurtherList {
  readonly lineEl: HTMLElement;
  /** The elements of the passages that are shown. */
  elements(): readonly HTMLElement[];
  show(row: HitRow, room: Room): void;
}

function furtherList(parent: HTMLElement, clock: Clock): FurtherList {
  // For the mouse; the keyboard uses Alt+Down. A listbox contains options only, so this is hidden from screen readers.
  const lineEl = parent.createDiv({ cls: "quarry-more", attr: { "aria-hidden": "true" } });
  const textEl = lineEl.createSpan();
  const retryEl = lineEl.createSpan({ cls: "quarry-retry" });
  const listEl = parent.createDiv({ cls: "quarry-others" });
  let blocks: readonly PassageBlock[] = [];
  let state: FurtherPassages = { kind: "folded" };
  let count = 0;
  let isSlow = false;

  const showLine = (): void => {
    setText(textEl, count === 0 ? "" : furtherPassagesWords(state, count, isSlow));
    const isQuick = state.kind === "loading" && !isSlow && blocks.length === 0;
    showClass(lineEl, "is-hidden", count === 0 || state.kind === "folded" || isQuick); // the head of the row counts them
    setText(retryEl, state.kind === "failed" ? t("pane.retry") : "");
  };
  const setSlow = delayedFlag(clock, (isOn) => {
    isSlow = isOn;
    showLine();
  });
  const createBlock = (): PassageBlock => passageBlock(initOption(listEl.createDiv({ cls: "quarry-option search-result-file-match quarry-passage", attr: { draggable: "true" } })));
  const show = ({ further, hit, furtherContexts }: HitRow, room: Room): void => {
    state = further;
    count = hit.furtherPassages;
    setSlow(further.kind === "loading");
    showLine();
    const passages = passagesOf(further);
    for (const block of blocks.slice(passages.length)) block.el.remove();
    blocks = passages.map((passage, index) => {
      const block = blocks[index] ?? createBlock();
      block.show(passage, hit.title, room, [], furtherContexts[index] ?? null);
      return block;
    });
  };
  return { lineEl, elements: () => blocks.map(({ el }) => el), show };
}
