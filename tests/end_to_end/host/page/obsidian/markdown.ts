/** Markdown as elements: what Obsidian's renderer makes of it, as far as a text outside its note needs it. Of HTML it makes what loads something. */
import { type Token, type Tokens, lexer } from "marked";

const TAGS: Readonly<Record<string, keyof HTMLElementTagNameMap>> = { paragraph: "p", blockquote: "blockquote", strong: "strong", em: "em", del: "del", list_item: "li", br: "br", hr: "hr" };

/** Appends the elements of *markdown* to *el*. */
export function renderMarkdown(markdown: string, el: HTMLElement): void {
  append(el, lexer(markdown, { gfm: true, breaks: true }));
}

function append(parent: HTMLElement, tokens: readonly Token[]): void {
  for (const token of tokens) appendToken(parent, token as Tokens.Generic);
}

function appendToken(parent: HTMLElement, token: Tokens.Generic): void {
  const inner = (el: HTMLElement): void => { append(el, token.tokens ?? []); };
  switch (token.type) {
    case "space":
      return;
    case "heading":
      inner(parent.createEl(`h${token["depth"] as 1 | 2 | 3 | 4 | 5 | 6}`));
      return;
    case "list":
      append(parent.createEl(token["ordered"] === true ? "ol" : "ul"), token["items"] as Token[]);
      return;
    case "code": {
      const el = parent.createEl("pre").createEl("code", { text: token["text"] as string });
      el.addClass(`language-${(token["lang"] as string | undefined) ?? "text"}`);
      return;
    }
    case "codespan":
      parent.createEl("code", { text: token["text"] as string });
      return;
    case "link":
      inner(parent.createEl("a", { cls: "external-link", attr: { href: token["href"] as string } }));
      return;
    case "image":
      parent.createEl("img", { attr: { src: token["href"] as string } });
      return;
    case "html":
      for (const [, tag = "", attributes = ""] of token.raw.matchAll(/<(audio|iframe|img|link|object|video|div)\b([^>]*)>/g)) {
        const attr = Object.fromEntries([...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]));
        parent.createEl(tag as "div", { attr });
      }
      return;
    case "table": {
      const { header, rows } = token as Tokens.Table;
      const table = parent.createEl("table");
      for (const [at, cells] of [header, ...rows].entries()) {
        const row = table.createEl("tr");
        for (const cell of cells) append(row.createEl(at === 0 ? "th" : "td"), cell.tokens);
      }
      return;
    }
    default: {
      const tag = TAGS[token.type];
      if (tag) inner(parent.createEl(tag));
      else if (token.tokens) inner(parent);
      else appendText(parent, token.raw);
    }
  }
}

/** Text, with its links to notes as Obsidian draws them. */
function appendText(parent: HTMLElement, text: string): void {
  let from = 0;
  for (const { 0: link, 1: target = "", 2: alias, index } of text.matchAll(/!?\[\[([^\]|]+)(?:\|([^\]]+))?\]\]/g)) {
    parent.append(text.slice(from, index));
    parent.createEl("a", { cls: "internal-link", text: alias ?? target, attr: { "data-href": target } });
    from = index + link.length;
  }
  parent.append(text.slice(from));
}
