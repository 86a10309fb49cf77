/** A context menu and its entries. */
import { Component } from "./component";
import { setIcon } from "./icons";

export class MenuItem {
  readonly dom = createDiv({ cls: "menu-item tappable", attr: { role: "menuitem" } });
  private readonly iconEl = this.dom.createDiv({ cls: "menu-item-icon" });
  private readonly titleEl = this.dom.createDiv({ cls: "menu-item-title" });
  private clicked: ((event: MouseEvent | KeyboardEvent) => unknown) | undefined;
  section = "";

  constructor(menu: Menu) {
    this.dom.addEventListener("click", (event) => {
      menu.hide();
      this.clicked?.(event);
    });
  }

  setTitle(title: string | DocumentFragment): this {
    this.titleEl.setText(title);
    return this;
  }

  setIcon(id: string | null): this {
    if (id === null) this.iconEl.empty();
    else setIcon(this.iconEl, id);
    return this;
  }

  setChecked(checked: boolean | null): this {
    this.dom.toggleClass("mod-checked", checked === true);
    return this;
  }

  setSection(section: string): this {
    this.section = section;
    return this;
  }

  onClick(callback: (event: MouseEvent | KeyboardEvent) => unknown): this {
    this.clicked = callback;
    return this;
  }
}

export class Menu extends Component {
  readonly dom = createDiv({ cls: "menu", attr: { role: "menu" } });
  private hidden: (() => unknown) | undefined;
  private readonly onOutside = (event: Event): void => {
    if (!this.dom.contains(event.target as Node | null)) this.hide();
  };
  private readonly onKey = (event: KeyboardEvent): void => {
    if (event.key === "Escape") this.hide();
  };

  static forEvent(event: MouseEvent): Menu {
    const menu = new Menu();
    event.preventDefault();
    setTimeout(() => menu.showAtMouseEvent(event)); // after the listeners of the same event have added their entries
    return menu;
  }

  addItem(configure: (item: MenuItem) => unknown): this {
    const item = new MenuItem(this);
    configure(item);
    this.dom.append(item.dom);
    return this;
  }

  showAtMouseEvent(event: MouseEvent): this {
    return this.showAtPosition({ x: event.clientX, y: event.clientY }, event.doc);
  }

  showAtPosition({ x, y }: { x: number; y: number }, doc: Document = activeDocument): this {
    doc.body.append(this.dom);
    const { win } = this.dom;
    this.dom.setCssStyles({ left: `${Math.min(x, win.innerWidth - this.dom.offsetWidth)}px`, top: `${Math.min(y, win.innerHeight - this.dom.offsetHeight)}px` });
    win.addEventListener("pointerdown", this.onOutside, true);
    win.addEventListener("keydown", this.onKey);
    this.load();
    return this;
  }

  hide(): this {
    if (!this.dom.isConnected) return this;
    const { win } = this.dom;
    win.removeEventListener("pointerdown", this.onOutside, true);
    win.removeEventListener("keydown", this.onKey);
    this.dom.remove();
    this.unload();
    this.hidden?.();
    return this;
  }
}
