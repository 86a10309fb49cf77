/** Tabs that share one place of the window, and sidebars that open and close. */
import { Known } from "../known";
import type { WorkspaceLeaf } from "./leaf";

/** A column of the window: the middle, or a sidebar. */
export class Split extends Known {
  readonly groups: TabGroup[] = [];

  constructor(
    readonly side: "left" | "root" | "right" | "window",
    readonly containerEl: HTMLElement,
  ) {
    super();
    if (side === "left" || side === "right") this.collapse();
  }

  get win(): Window {
    return this.containerEl.win;
  }

  get doc(): Document {
    return this.containerEl.doc;
  }

  get collapsed(): boolean {
    return this.containerEl.hasClass("is-sidedock-collapsed");
  }

  expand(): void {
    this.containerEl.removeClass("is-sidedock-collapsed");
  }

  collapse(): void {
    this.containerEl.addClass("is-sidedock-collapsed");
  }

  /** Host: the last tab of a group was closed. */
  hostEmptied(): void {
    if (this.side !== "root") this.collapse();
  }

  /** Host: the first group, or a new one where *fresh*. */
  hostGroup(fresh = false): TabGroup {
    const [first] = this.groups;
    if (first && !fresh) return first;
    const group = new TabGroup(this);
    this.groups.push(group);
    return group;
  }
}

/** Tabs on top of each other; one is seen. */
export class TabGroup extends Known {
  readonly containerEl: HTMLElement;
  private readonly headersEl: HTMLElement;
  private readonly bodyEl: HTMLElement;
  private readonly leaves: WorkspaceLeaf[] = [];

  constructor(readonly split: Split) {
    super();
    this.containerEl = split.containerEl.createDiv({ cls: "workspace-tabs mod-top" });
    const bar = this.containerEl.createDiv({ cls: "workspace-tab-header-container" });
    this.headersEl = bar.createDiv({ cls: "workspace-tab-header-container-inner" });
    this.bodyEl = this.containerEl.createDiv({ cls: "workspace-tab-container" });
  }

  get shown(): WorkspaceLeaf | undefined {
    return this.leaves.find((leaf) => !leaf.containerEl.hasClass("mod-hidden"));
  }

  add(leaf: WorkspaceLeaf): void {
    const { shown } = this;
    this.leaves.push(leaf);
    this.headersEl.append(leaf.tabHeaderEl);
    this.bodyEl.append(leaf.containerEl);
    this.show(shown ?? leaf);
  }

  show(shown: WorkspaceLeaf): void {
    for (const leaf of this.leaves) {
      leaf.containerEl.toggleClass("mod-hidden", leaf !== shown);
      leaf.tabHeaderEl.toggleClass("is-active", leaf === shown);
    }
  }

  get hostLeaves(): readonly WorkspaceLeaf[] {
    return this.leaves;
  }

  remove(leaf: WorkspaceLeaf): void {
    this.leaves.remove(leaf);
    leaf.containerEl.remove();
    leaf.tabHeaderEl.remove();
    const next = this.leaves.at(-1);
    if (next) this.show(next);
    else this.split.hostEmptied();
  }
}
