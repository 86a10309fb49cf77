/** Code blocks that plugins draw: a fence of the reading view becomes an element with a component of its own. */
import type { App } from "./app";
import { Component } from "./component";
import { renderMarkdown } from "./markdown";

export class MarkdownRenderChild extends Component {
  constructor(readonly containerEl: HTMLElement) {
    super();
  }
}

/** Renders a text outside its note. */
export const MarkdownRenderer = {
  async render(app: App, markdown: string, el: HTMLElement, sourcePath: string, component: Component): Promise<void> {
    await Promise.resolve();
    renderMarkdown(markdown, el);
    for (const code of el.findAll("code[class^=language-]")) {
      const [, language = ""] = /^language-(\w+)$/.exec(code.className) ?? [];
      const handler = app.hostCodeBlocks.get(language);
      const block = createDiv({ cls: `block-language-${language}` });
      if (!handler) continue;
      code.parentElement?.replaceWith(block);
      handler(code.textContent ?? "", block, { docId: sourcePath, sourcePath, addChild: (child) => void component.addChild(child) });
    }
    for (const process of app.hostPostProcessors) process(el);
  },
};

export interface CodeBlockContext {
  readonly docId: string;
  readonly sourcePath: string;
  addChild(child: MarkdownRenderChild): void;
}

export type CodeBlockHandler = (source: string, el: HTMLElement, context: CodeBlockContext) => unknown;

/**
 * Draws the fences among *lines*, which are the children of *page*, one element a line: the block takes the place of its
 * first line, the others are hidden. *owner* unloads the blocks.
 */
export function drawCodeBlocks(app: App, owner: Component, page: HTMLElement, lines: readonly string[], sourcePath: string): void {
  let open: { readonly at: number; readonly fence: string; readonly language: string } | null = null;
  for (const [at, line] of lines.entries()) {
    const [, fence = "", language = ""] = /^(```+)\s*(\w*)/.exec(line) ?? [];
    if (!open) open = fence === "" ? null : { at, fence, language };
    else if (fence.startsWith(open.fence)) {
      const handler = app.hostCodeBlocks.get(open.language);
      const first = page.children[open.at] as HTMLElement;
      if (handler) {
        first.empty();
        for (let row = open.at + 1; row <= at; row += 1) (page.children[row] as HTMLElement).hide();
        const el = first.createDiv({ cls: `block-language-${open.language}` });
        handler(lines.slice(open.at + 1, at).join("\n"), el, { docId: sourcePath, sourcePath, addChild: (child) => void owner.addChild(child) });
      }
      open = null;
    }
  }
}
