/**
 * The elements of one hit: created once, then changed only where they differ. Note text enters as text nodes, never as
 * HTML: in Obsidian's window a script in a note would have access to the whole machine.
 */
import { type Clock } from "../clock";
import { type HitRow, type Row } from "../pane/rows";
import { WHY_TIPS, ageWords, mapsWords, modifiedWords } from "../wording/rows";
import { initOption } from "./active-option";
import { FurtherPassagesList } from "./further-passages";
import { MarkedText, PassageBlock, setText } from "./passage-block";
import { type RowView } from "./row-view";

export class HitView implements RowView {
  readonly el: HTMLElement;
  private readonly main: HTMLElement;
  private readonly titleEl: HTMLElement;
  private readonly title: MarkedText;
  private readonly whyEl: HTMLElement;
  private readonly ageEl: HTMLElement;
  private readonly best: PassageBlock;
  private readonly mapsEl: HTMLElement;
  private readonly further: FurtherPassagesList;
  private row: HitRow | null = null;

  /** An empty row that is not in the document yet. */
  constructor(clock: Clock) {
    this.el = createDiv({ cls: "tree-item search-result quarry-hit", attr: { role: "group" } });
    this.main = this.el.createDiv({ cls: "quarry-option", attr: { draggable: "true" } });
    initOption(this.main);
    const head = this.main.createDiv({ cls: "tree-item-self search-result-file-title is-clickable" });
    this.titleEl = head.createDiv({ cls: "tree-item-inner quarry-title" });
    this.title = new MarkedText(this.titleEl);
    const flair = head.createDiv({ cls: "tree-item-flair-outer" });
    this.whyEl = flair.createSpan({ cls: "tree-item-flair quarry-why" });
    this.ageEl = flair.createSpan({ cls: "tree-item-flair quarry-age" });
    this.best = new PassageBlock(this.main.createDiv({ cls: "search-result-file-match quarry-passage" }));
    this.mapsEl = this.main.createDiv({ cls: "quarry-maps", attr: { dir: "auto" } });
    this.further = new FurtherPassagesList(this.el, clock);
  }

  show(row: Row, nowMs: number): void {
    if (row.kind !== "hit" || (this.row?.hit === row.hit && this.row.further === row.further)) return;
    this.row = row;
    const { hit, further } = row;
    this.title.show(hit.title, hit.titleMarks);
    this.titleEl.title = hit.path;
    setText(this.whyEl, hit.why ?? "");
    this.whyEl.title = hit.why ? WHY_TIPS[hit.why] : "";
    this.whyEl.dataset["why"] = hit.why ?? "";
    this.whyEl.toggleClass("is-hidden", hit.why === null);
    this.el.setAttr("aria-label", hit.title);
    this.updateAge(nowMs);
    this.best.show(row.passage, hit.title);
    setText(this.mapsEl, mapsWords(hit.maps));
    this.mapsEl.toggleClass("is-hidden", hit.maps.length === 0);
    this.further.show(further, hit.furtherPassages, hit.title);
    this.el.setAttr("aria-busy", further.kind === "loading" ? "true" : null);
    this.main.setAttr("aria-expanded", hit.furtherPassages === 0 ? null : String(this.further.isExpanded));
  }

  updateAge(nowMs: number): void {
    if (!this.row) return;
    const { modifiedMs } = this.row.hit;
    setText(this.ageEl, ageWords(nowMs - modifiedMs));
    this.ageEl.title = modifiedWords(modifiedMs);
  }

  get options(): readonly HTMLElement[] {
    return [this.main, ...this.further.elements];
  }

  isUnfolder(target: Node): boolean {
    return this.further.isLine(target);
  }
}
