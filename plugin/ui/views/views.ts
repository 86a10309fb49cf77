/** The views besides the pane where results are shown, with their commands. */
import { type Component, MarkdownView, type Plugin, type TFile } from "obsidian";
import { offered } from "../../commands";
import { type Mode } from "../../protocol/messages";
import { t } from "../../i18n/translate";
import { boundedRequester } from "../../search/bounded-requester";
import { blockText, LANGUAGE } from "../../search/block-spec";
import { insertBlock, newSearchNote } from "../list/new-note";
import { LiveBlock, type LiveBlockParts } from "./live-block";
import { noteSearchBar } from "./note-search-bar";
import { type PaneParts } from "../pane/pane-commands";
import { QuickSearch } from "./quick-search";
import { openRelated, RELATED_VIEW_TYPE } from "../list/related-notes";
import { HOVER_SOURCE } from "../list/list-input";
import { RELATED_ICON, RelatedView } from "./related-view";

export interface PlaceParts extends PaneParts {
  readonly openPane: (query: string) => void;
  /** The query of the pane and how it searches; null without one. */
  readonly paneSearch: () => { readonly query: string; readonly mode: Mode } | null;
}

const BLOCK_REQUESTS = 3; // at a time, of all blocks together: beside them the pane is to stay quick

/** Registers the places with `plugin`, until it is unloaded. */
export function registerPlaces(plugin: Plugin, paneParts: PlaceParts): void {
  const { app } = plugin;
  // How the pane searches is its own: what is clicked there changes no dialog and no block.
  const parts: PlaceParts = { ...paneParts, preferences: () => ({ ...paneParts.preferences(), mode: "hybrid" }) };
  plugin.registerHoverLinkSource(HOVER_SOURCE, { display: plugin.manifest.name, defaultMod: true });
  plugin.registerView(RELATED_VIEW_TYPE, (leaf) => new RelatedView(leaf, parts));
  plugin.addCommand({ id: "open-related", name: t("command.related"), icon: RELATED_ICON, callback: () => { openRelated(app); } });
  registerBlocks(plugin, parts);
  registerNoteSearch(plugin, parts);
  plugin.addCommand({ id: "quick-search", name: t("command.quick"), icon: "search", callback: () => { new QuickSearch(app, parts, parts.openPane).open(); } });
}

function registerNoteSearch(plugin: Plugin, parts: PlaceParts): void {
  const { app } = plugin;
  let bar: Component | null = null; // there is one at a time, as there is one note that is read
  const close = (): void => {
    if (bar) plugin.removeChild(bar);
    bar = null;
  };
  const start = (view: MarkdownView, file: TFile): void => {
    const selected = view.getMode() === "source" ? view.editor.getSelection() : "";
    close();
    bar = plugin.addChild(noteSearchBar(app, view, file, parts, selected, close));
  };
  plugin.addCommand({
    id: "search-in-note",
    name: t("command.inNote"),
    icon: "text-search",
    checkCallback: offered(() => {
      const view = app.workspace.getActiveViewOfType(MarkdownView);
      const file = view?.file;
      return view && file ? () => { start(view, file); } : null;
    }),
  });
}

function registerBlocks(plugin: Plugin, parts: PlaceParts): void {
  const { app } = plugin;
  type PaneSearch = NonNullable<ReturnType<PlaceParts["paneSearch"]>>;
  const withSearch = (run: (search: PaneSearch) => void): (() => void) | null => {
    const search = parts.paneSearch();
    return search && (() => { run(search); });
  };
  const blockParts: LiveBlockParts = { ...parts, app, client: boundedRequester(parts.client, BLOCK_REQUESTS) };
  plugin.registerMarkdownCodeBlockProcessor(LANGUAGE, (text, el, context) => {
    context.addChild(new LiveBlock(el, text, context.sourcePath, blockParts));
  });
  plugin.addCommand({
    id: "insert-live-block",
    name: t("command.insertBlock"),
    icon: "list-plus",
    editorCallback: (editor) => { insertBlock(editor, blockText(editor.getSelection().replace(/\s+/gu, " ").trim() || t("block.sample"), "hybrid")); },
  });
  plugin.addCommand({
    id: "insert-search-block",
    name: t("command.insertSearch"),
    icon: "list-plus",
    editorCheckCallback: (checking, editor) => offered(() => withSearch(({ query, mode }) => { insertBlock(editor, blockText(query, mode)); }))(checking),
  });
  plugin.addCommand({
    id: "search-to-note",
    name: t("command.searchNote"),
    icon: "file-plus",
    checkCallback: offered(() => withSearch(({ query, mode }) => void newSearchNote(app, query, mode))),
  });
}
