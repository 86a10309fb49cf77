/** Icons by name: Lucide's, as in Obsidian, and those that a plugin adds. */
import lucide from "lucide-static/icon-nodes.json";

type IconNode = readonly (readonly [tag: string, attributes: Readonly<Record<string, string>>])[];

const LUCIDE = lucide as unknown as Readonly<Record<string, IconNode>>;
const added = new Map<string, SVGElement>();

const LUCIDE_FRAME = { width: "24", height: "24", viewBox: "0 0 24 24", fill: "none", stroke: "currentColor", "stroke-width": "2", "stroke-linecap": "round", "stroke-linejoin": "round" };

/** null where no icon has that name. */
export function getIcon(id: string): SVGElement | null {
  const own = added.get(id);
  if (own) return own.cloneNode(true) as SVGElement;
  const name = id.replace(/^lucide-/, "");
  const node = LUCIDE[name];
  if (!node) return null;
  const svg = createSvg("svg", { cls: ["svg-icon", `lucide-${name}`], attr: LUCIDE_FRAME });
  for (const [tag, attributes] of node) svg.createSvg(tag as "path", { attr: attributes });
  return svg;
}

/** An icon nobody knows leaves the element empty, as Obsidian does; the host says so, since a test should see it. */
export function setIcon(parent: HTMLElement, id: string): void {
  const icon = getIcon(id);
  if (icon) parent.replaceChildren(icon);
  else parent.replaceChildren();
  if (!icon) console.error(`there is no icon "${id}"`);
}

export function setTooltip(el: HTMLElement, text: string, options?: { placement?: string }): void {
  el.setAttribute("aria-label", text);
  if (options?.placement) el.setAttribute("data-tooltip-position", options.placement);
}

/** *content* is the inside of an SVG of 100 by 100 units. Its tags are read one by one: the page's policy parses no strings. */
export function addIcon(id: string, content: string): void {
  const svg = createSvg("svg", { cls: "svg-icon", attr: { viewBox: "0 0 100 100" } });
  const open: SVGElement[] = [svg];
  for (const [, end, tag = "", attributes = "", isEmpty] of content.matchAll(/<(\/?)([a-z]+)([^<>]*?)(\/?)>/gi)) {
    if (end) open.pop();
    else {
      const attr = Object.fromEntries([...attributes.matchAll(/([\w:-]+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]));
      const el = (open.at(-1) ?? svg).createSvg(tag as "path", { attr });
      if (!isEmpty) open.push(el);
    }
  }
  added.set(id, svg);
}
