/**
 * A live block in a note: the results of its query, asked again when the index changes.
 *
 * Nothing is built, asked or drawn before the block is in sight, and nothing while it is out of sight again.
 */
import { type App, MarkdownRenderChild } from "obsidian";
import { type PaneModel } from "../../pane/model";
import { type BlockSpec, parseBlock } from "../../search/block-spec";
import { SearchSession } from "../../search/session";
import { roomFor } from "../../snippet/excerpt";
import { blockCountWords, blockErrorWords, blockPanel } from "../../i18n/panels";
import { OPERATORS } from "../../i18n/operators";
import { t } from "../../i18n/translate";
import { iconButton, setText, watchSight } from "../list/elements";
import { ListView } from "../list/list-view";
import { noteAt } from "../list/open";
import { type ListServices, type PlaceServices, ResultList } from "../list/result-list";
import { panelAround } from "../pane/panel";

const BLOCK_PLACE = "quarry-block";

/** The words that are part of a query before a colon. */
const OPERATOR_NAMES = new Set(OPERATORS.map(({ token }) => token.replace(/:$/u, "")));
const FEW = 2; // rows

/** With a client that is bounded: a note may have any number of blocks. */
export interface LiveBlockParts extends PlaceServices {
  readonly app: App;
  readonly openPane: (query: string) => void;
}

export class LiveBlock extends MarkdownRenderChild {
  #list: ResultList | null = null;

  /** `path`: of the note that contains the block. */
  constructor(
    containerEl: HTMLElement,
    private readonly text: string,
    private readonly path: string,
    private readonly parts: LiveBlockParts,
  ) {
    super(containerEl);
  }

  override onload(): void {
    const el = this.containerEl;
    el.addClass("quarry-block");
    const parsed = parseBlock(this.text, OPERATOR_NAMES);
    if ("errors" in parsed) {
      for (const error of parsed.errors) el.createDiv({ cls: "quarry-block-error", text: blockErrorWords(error) });
      return;
    }
    // Room for the rows to come: otherwise all blocks of a note are in sight at first, and all ask.
    const { shows, limit } = parsed.spec;
    el.dataset["waitsFor"] = shows === "count" ? "none" : limit <= FEW ? "few" : "many";
    watchSight(this, el, (isInSight) => {
      if (isInSight) this.#list ??= this.#build(parsed.spec);
      this.#list?.setInSight(isInSight);
    });
    this.registerEvent(this.parts.app.workspace.on("resize", () => { this.#list?.view.measure(); }));
  }

  #build(spec: BlockSpec): ResultList {
    const { parts } = this;
    const el = this.containerEl;
    const preferences = (): ReturnType<ListServices["preferences"]> => ({ ...parts.preferences(), ...(spec.mode && { mode: spec.mode }), ...(spec.density && { density: spec.density }) });
    const countEl = this.#buildHead(el, spec);
    const bodyEl = el.createDiv();
    const panel = panelAround(bodyEl, parts.engineCommands, parts.copy, blockPanel);
    const view = new ListView(el, bodyEl, null, { clock: parts.clock });
    view.listEl.toggleClass("is-hidden", spec.shows === "count");
    view.listEl.setAttr("aria-label", t("block.label", { query: spec.query }));
    const around = {
      show: (model: PaneModel): void => {
        panel.show(model);
        if (model.search.kind === "results" || model.search.kind === "failed") delete el.dataset["waitsFor"];
        setText(countEl, blockCountWords(model, spec.shows));
      },
    };
    const { mode } = preferences();
    const note = noteAt(parts.app.vault, this.path);
    const ownPath = (): string => note?.path ?? this.path; // it may be renamed
    const scope = { strict: true, get filters() { return { notNotes: [ownPath()] }; } }; // its own note is no result
    const session = new SearchSession(parts.client, parts.clock, { mode, limit: spec.shows === "count" ? 1 : spec.limit, snippetWidth: roomFor(el.clientWidth, preferences().density).asked, scope });
    const list = new ResultList(view, { ...parts, preferences, source: session, around, place: BLOCK_PLACE, leaf: null, explain: null });
    this.addChild(list);
    this.register(() => { session.close(); });
    list.readPreferences();
    list.view.measure();
    session.setSort(spec.sort);
    session.setQuery(spec.query, true);
    return list;
  }

  #buildHead(parent: HTMLElement, { query, mode, shows }: BlockSpec): HTMLElement {
    const head = parent.createDiv({ cls: "quarry-block-head" });
    iconButton(head, "search", t("block.openPane"), () => { this.parts.openPane(query); }, { cls: "clickable-icon quarry-tool", attr: { "data-action": "open-pane" } });
    head.createSpan({ cls: "quarry-block-query", text: query, attr: { dir: "auto" } });
    if (mode !== null && mode !== "hybrid" && shows === "rows") head.createSpan({ cls: "quarry-block-count", text: t(`mode.${mode}`) });
    return head.createSpan({ cls: "quarry-block-count" });
  }
}
