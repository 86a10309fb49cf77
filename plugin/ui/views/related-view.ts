/** The notes related to the open one, or to what is selected in it, as a view for the sidebar. */
import { ItemView, setIcon, setTooltip, type ViewStateResult, type WorkspaceLeaf } from "obsidian";
import { type Cancel } from "../../clock";
import { fileName } from "../../pane/note-name";
import { type RelatedSource, type RelatedTo } from "../../search/related-source";
import { relatedPanel, relatedToWords } from "../../i18n/panels";
import { t } from "../../i18n/translate";
import { iconButton, watchSight } from "../list/elements";
import { ListView } from "../list/list-view";
import { noteAt } from "../list/open";
import { openNote, RELATED_VIEW_TYPE, relatedSource } from "../list/related-notes";
import { type PlaceServices, ResultList } from "../list/result-list";
import { panelAround } from "../pane/panel";

export const RELATED_ICON = "waypoints";

const FOLLOW_MS = 300; // after the last change of note or selection: longer than between two steps of extending one

export class RelatedView extends ItemView {
  override navigation = false;
  override icon = RELATED_ICON;
  readonly #source: RelatedSource;
  #list: ResultList | null = null;
  #target: RelatedTo | null = null;
  /** The note that the view stays with; null: it follows the open one. */
  #pinned: string | null = null;
  #isInSight = false;
  #cancelFollow: Cancel = () => undefined;
  #showHead: () => void = () => undefined;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly parts: PlaceServices,
  ) {
    super(leaf);
    this.#source = relatedSource(this.app, parts.client, parts.clock, () => this.#list?.view.room.asked ?? 120);
  }

  getViewType(): string {
    return RELATED_VIEW_TYPE;
  }

  getDisplayText(): string {
    return t("related.title");
  }

  override getState(): Record<string, unknown> {
    return { pinned: this.#pinned };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    await super.setState(state, result);
    const pinned = typeof state === "object" && state !== null && "pinned" in state ? state.pinned : null;
    this.#pinned = typeof pinned === "string" ? pinned : null;
    this.#follow();
  }

  protected override async onOpen(): Promise<void> {
    await super.onOpen();
    const el = this.contentEl;
    el.empty();
    el.addClass("quarry-pane", "quarry-related");
    this.#buildHead(el);
    const bodyEl = el.createDiv({ cls: "quarry-body" });
    const around = panelAround(bodyEl, this.parts.engineCommands, this.parts.copy, relatedPanel);
    const view = new ListView(el, bodyEl, null, { clock: this.parts.clock });
    const list = new ResultList(view, { ...this.parts, app: this.app, source: this.#source, around, place: RELATED_VIEW_TYPE, leaf: this.leaf, explain: null });
    this.#list = list;
    this.addChild(list);
    list.setInSight(false);
    this.#listen(el);
  }

  override onResize(): void {
    if (this.#isInSight) this.#list?.view.measure();
  }

  protected override async onClose(): Promise<void> {
    this.#cancelFollow();
    this.#source.close();
    if (this.#list) this.removeChild(this.#list);
    this.#list = null;
    await super.onClose();
  }

  #listen(el: HTMLElement): void {
    const { workspace, metadataCache } = this.app;
    const follow = (): void => { this.#followSoon(); };
    this.registerEvent(workspace.on("active-leaf-change", follow));
    this.registerEvent(workspace.on("file-open", follow));
    this.registerEvent(metadataCache.on("changed", follow)); // its aliases may have changed
    this.registerEvent(this.app.vault.on("rename", (file, oldPath) => {
      if (this.#pinned === oldPath) this.#pinned = file.path;
      this.#follow();
    }));
    this.registerDomEvent(activeDocument, "selectionchange", follow);
    this.registerEvent(workspace.on("window-open", (_, { document }) => { this.registerDomEvent(document, "selectionchange", follow); }));
    watchSight(this, el, (isInSight) => {
      this.#isInSight = isInSight;
      this.#list?.setInSight(isInSight);
      if (isInSight) {
        this.#list?.readPreferences();
        this.#follow();
      } else {
        this.#cancelFollow();
      }
    });
  }

  #buildHead(parent: HTMLElement): void {
    const head = parent.createDiv({ cls: "quarry-related-head" });
    const textEl = head.createDiv({ cls: "quarry-related-to", attr: { dir: "auto" } });
    const pinEl = iconButton(head, "pin", t("related.pin"), () => {
      this.#pinned = this.#pinned === null ? (this.#target?.path ?? null) : null;
      void this.app.workspace.requestSaveLayout();
      this.#showHead();
      this.#follow();
    }, { cls: "clickable-icon quarry-tool", attr: { "data-action": "pin" } });
    this.#showHead = () => {
      const target = this.#target;
      const pinned = this.#pinned;
      textEl.setText(target ? relatedToWords(fileName(target.path), target.text !== null) : t("related.title"));
      setIcon(pinEl, pinned === null ? "pin" : "pin-off");
      setTooltip(pinEl, pinned === null ? t("related.pin") : t("related.unpin"));
      pinEl.setAttr("aria-pressed", String(pinned !== null));
    };
    this.#showHead();
  }

  #followSoon(): void {
    if (!this.#isInSight || this.#pinned !== null) return;
    this.#cancelFollow();
    this.#cancelFollow = this.parts.clock.after(FOLLOW_MS, () => { this.#follow(); });
  }

  /** Shows what is related to the open note, or to the pinned one. */
  #follow(): void {
    this.#cancelFollow();
    if (!this.#isInSight) return;
    const pinned = this.#pinned;
    const pinnedFile = pinned === null ? null : noteAt(this.app.vault, pinned);
    if (!pinnedFile) this.#pinned = null; // it was renamed or deleted
    this.#target = pinnedFile ? { path: pinnedFile.path, text: null, names: [pinnedFile.basename] } : openNote(this.app, this.#target);
    this.#showHead();
    this.#source.show(this.#target);
  }
}
