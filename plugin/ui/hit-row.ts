/**
 * The elements of one hit: created once, then changed only where they differ. Note text enters as text nodes, never as
 * HTML: in Obsidian's window a script in a note would have access to the whole machine.
 */
import { type Clock } from "../clock";
import { type Hit, type Passage } from "../protocol/messages";
import { type FurtherPassages } from "../search/passage-loader";
import { FurtherPassagesList } from "./further-passages";
import { type Option, initOption } from "./option-list";
import { MarkedText, PassageBlock, setText } from "./passage-block";
import { WHY_TIPS, ageWords, mapsWords, modifiedWords } from "./wording";

/** An option that can be opened: a note at one of its passages. */
export interface HitOption extends Option {
  readonly hit: Hit;
  readonly passage: Passage | null;
}

export class HitRow {
  readonly el: HTMLElement;
  private readonly main: HTMLElement;
  private readonly titleEl: HTMLElement;
  private readonly title: MarkedText;
  private readonly whyEl: HTMLElement;
  private readonly ageEl: HTMLElement;
  private readonly best: PassageBlock;
  private readonly mapsEl: HTMLElement;
  private readonly further: FurtherPassagesList;

  /** An empty row for `hit`, not in the document yet: the list fills it and inserts it at its position. */
  constructor(
    private hit: Hit,
    clock: Clock,
  ) {
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

  update(hit: Hit, nowMs: number): void {
    this.hit = hit;
    this.title.show(hit.title, hit.titleMarks);
    this.titleEl.title = hit.path;
    setText(this.whyEl, hit.why ?? "");
    this.whyEl.title = hit.why ? WHY_TIPS[hit.why] : "";
    this.whyEl.dataset["why"] = hit.why ?? "";
    this.whyEl.toggleClass("is-hidden", hit.why === null);
    this.el.setAttr("aria-label", hit.title);
    this.updateAge(nowMs);
    this.best.show(hit.passages[0] ?? null, hit.title);
    setText(this.mapsEl, mapsWords(hit.maps));
    this.mapsEl.toggleClass("is-hidden", hit.maps.length === 0);
  }

  showFurther(state: FurtherPassages): void {
    const { furtherPassages: count, title } = this.hit;
    this.further.show(state, count, title);
    this.el.setAttr("aria-busy", state.kind === "loading" ? "true" : null);
    this.main.setAttr("aria-expanded", count === 0 ? null : String(this.further.isExpanded));
  }

  updateAge(nowMs: number): void {
    setText(this.ageEl, ageWords(nowMs - this.hit.modifiedMs));
    this.ageEl.title = modifiedWords(this.hit.modifiedMs);
  }

  get hasFurther(): boolean {
    return this.hit.furtherPassages > 0;
  }

  /** Whether the further passages are shown or on their way. */
  get isExpanded(): boolean {
    return this.further.isExpanded;
  }

  /** The options that the keyboard can reach, from top to bottom. */
  get options(): readonly HitOption[] {
    const { hit } = this;
    const further = this.further.passages.map(({ el, passage }) => ({ key: `${hit.path}#${passage.start}`, parentKey: hit.path, el, hit, passage }));
    return [{ key: hit.path, el: this.main, hit, passage: hit.passages[0] ?? null }, ...further];
  }

  isMoreLine(target: Node): boolean {
    return this.further.isLine(target);
  }
}
