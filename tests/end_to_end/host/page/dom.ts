/**
 * Obsidian's additions to the browser's own objects.
 *
 * The helpers of its public type definitions (`declare global` in obsidian.d.ts), on the real prototypes.
 */

type Classes = string | string[] | undefined;

type AnyWindow = Window & typeof globalThis;

/** Put every helper in place in *win*; once, before any plugin code meets it. Each window has prototypes of its own. */
export function installDomHelpers(win: AnyWindow = window): void {
  define(win.Node.prototype, nodeHelpers);
  define(win.Element.prototype, elementHelpers);
  define(win.HTMLElement.prototype, htmlHelpers);
  define(win.SVGElement.prototype, { setCssStyles: htmlHelpers.setCssStyles, setCssProps: htmlHelpers.setCssProps });
  define(win.Array.prototype, arrayHelpers);
  define(win.Math, { clamp: (value: number, low: number, high: number) => Math.min(Math.max(value, low), high) });
  defineGetters(win.Node.prototype, { doc: documentOf, win: (node) => documentOf(node).defaultView });
  defineGetters(win.UIEvent.prototype as unknown as Node, {
    doc: (event) => ((event as unknown as UIEvent).view ?? win).document,
    win: (event) => (event as unknown as UIEvent).view ?? win,
  });
  define(win.UIEvent.prototype, { instanceOf: nodeHelpers.instanceOf });
  Object.assign(win, globals);
  setActiveWindow(window);
}

/** The window that has the focus, as plugins ask for it from code that runs in the main one. */
export function setActiveWindow(win: Window): void {
  Object.assign(window, { activeWindow: win, activeDocument: win.document });
}

function documentOf(node: Node): Document {
  return node.ownerDocument ?? (node as Document);
}

const nodeHelpers = {
  empty(this: Node) {
    while (this.lastChild) this.removeChild(this.lastChild);
  },
  indexOf(this: Node, other: Node) {
    return Array.from(this.childNodes).indexOf(other as ChildNode);
  },
  appendText(this: Node, text: string) {
    this.appendChild(document.createTextNode(text));
  },
  /** True for the class of that name in any window, which `instanceof` is not. */
  instanceOf(this: Node | UIEvent, type: new () => unknown) {
    const home = (this as Node).win as unknown as Record<string, unknown> | null;
    const sameName = home?.[type.name];
    return this instanceof type || (typeof sameName === "function" && this instanceof sameName);
  },
  createEl(this: Node, tag: string, info?: DomElementInfo | string, callback?: (el: HTMLElement) => void) {
    return make(tag, info, this, callback);
  },
  createDiv(this: Node, info?: DomElementInfo | string, callback?: (el: HTMLElement) => void) {
    return nodeHelpers.createEl.call(this, "div", info, callback);
  },
  createSpan(this: Node, info?: DomElementInfo | string, callback?: (el: HTMLElement) => void) {
    return nodeHelpers.createEl.call(this, "span", info, callback);
  },
  createSvg(this: Node, tag: string, info?: SvgElementInfo | string, callback?: (el: SVGElement) => void) {
    return makeSvg(tag, info, this, callback);
  },
};

const elementHelpers = {
  setText(this: Element, value: string | DocumentFragment) {
    if (typeof value === "string") this.textContent = value;
    else this.replaceChildren(value);
  },
  addClass(this: Element, ...classes: string[]) {
    this.classList.add(...names(classes));
  },
  removeClass(this: Element, ...classes: string[]) {
    this.classList.remove(...names(classes));
  },
  toggleClass(this: Element, classes: string | string[], value: boolean) {
    for (const name of names(classes)) this.classList.toggle(name, Boolean(value));
  },
  hasClass(this: Element, name: string) {
    return this.classList.contains(name);
  },
  setAttr(this: Element, name: string, value: string | number | boolean | null) {
    if (value === null) this.removeAttribute(name);
    else this.setAttribute(name, String(value));
  },
  setAttrs(this: Element, values: Record<string, string | number | boolean | null>) {
    for (const [name, value] of Object.entries(values)) elementHelpers.setAttr.call(this, name, value);
  },
  find(this: ParentNode, selector: string) {
    return this.querySelector<HTMLElement>(selector);
  },
  findAll(this: ParentNode, selector: string) {
    return Array.from(this.querySelectorAll<HTMLElement>(selector));
  },
};

const htmlHelpers = {
  hide(this: HTMLElement) {
    this.style.display = "none";
  },
  toggle(this: HTMLElement, shown: boolean) {
    this.style.display = shown ? "" : "none";
  },
  setCssStyles(this: HTMLElement | SVGElement, styles: Partial<CSSStyleDeclaration>) {
    Object.assign(this.style, styles);
  },
  setCssProps(this: HTMLElement | SVGElement, values: Record<string, string>) {
    for (const [name, value] of Object.entries(values)) this.style.setProperty(name, value);
  },
};

const arrayHelpers = {
  remove(this: unknown[], target: unknown) {
    for (let index = this.indexOf(target); index >= 0; index = this.indexOf(target)) this.splice(index, 1);
  },
};

const globals = {
  createEl: (tag: string, info?: DomElementInfo | string, callback?: (el: HTMLElement) => void) => make(tag, info, null, callback),
  createDiv: (info?: DomElementInfo | string, callback?: (el: HTMLElement) => void) => globals.createEl("div", info, callback),
  createSpan: (info?: DomElementInfo | string, callback?: (el: HTMLElement) => void) => globals.createEl("span", info, callback),
  createSvg: (tag: string, info?: SvgElementInfo | string, callback?: (el: SVGElement) => void) => makeSvg(tag, info, null, callback),
  createFragment(callback?: (fragment: DocumentFragment) => void) {
    const fragment = document.createDocumentFragment();
    callback?.(fragment);
    return fragment;
  },
};

function make(tag: string, info: DomElementInfo | string | undefined, parent: Node | null, callback?: (el: HTMLElement) => void): HTMLElement {
  return build(document.createElement(tag), typeof info === "string" ? { cls: info } : info, parent, callback);
}

function makeSvg(tag: string, info: SvgElementInfo | string | undefined, parent: Node | null, callback?: (el: SVGElement) => void): SVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", tag) as SVGElement;
  return build(svg, typeof info === "string" ? { cls: info } : info, parent, callback);
}

function build<E extends HTMLElement | SVGElement>(el: E, info: DomElementInfo | undefined, parent: Node | null, callback?: (el: E) => void): E {
  el.classList.add(...names(info?.cls));
  if (info?.text !== undefined) elementHelpers.setText.call(el, info.text);
  elementHelpers.setAttrs.call(el, info?.attr ?? {});
  if (info?.title !== undefined) el.setAttribute("title", info.title);
  for (const name of ["type", "value", "placeholder", "href"] as const) if (info?.[name] !== undefined) Object.assign(el, { [name]: info[name] });
  const home = info?.parent ?? parent;
  if (info?.prepend) home?.insertBefore(el, home.firstChild);
  else home?.appendChild(el);
  callback?.(el);
  return el;
}

function names(classes: Classes): string[] {
  return [classes ?? []].flat().flatMap((part) => part.split(/\s+/)).filter(Boolean);
}

/** Not enumerable, so that `for ... in` over an array or an element stays what it was. */
function define(target: object, members: object): void {
  for (const [name, value] of Object.entries(members)) Object.defineProperty(target, name, { value, writable: true, configurable: true });
}

function defineGetters(target: Node, getters: Record<string, (node: Node) => unknown>): void {
  for (const [name, getter] of Object.entries(getters)) {
    Object.defineProperty(target, name, { configurable: true, get(this: Node) { return getter(this); } });
  }
}
