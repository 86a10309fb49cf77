/** What are the parts of the user interface called? Pure. Obsidian's rules apply: sentence case, no exclamation marks. */
import { type Mode } from "../protocol/messages";

export const TEXT = {
  viewTitle: "Quarry search",
  placeholder: "Search by words and meaning",
  modeLabel: "Search mode",
  listLabel: "Search results",
  completionsLabel: "Suggestions",
  recentLabel: "Recent searches",
  headingSeparator: " › ",
  retry: "Try again",
  save: "Save this search",
  unsave: "Remove from saved searches",
  forget: "Remove from recent searches",
  openPane: "Open Quarry search",
  keySheet: "Keyboard shortcuts",
  commands: {
    openSearch: "Open search",
    searchSelection: "Search selected text",
    capture: "Capture a note",
    explainNote: "Explain why the active note is or is not in the results",
    rebuild: "Rebuild index",
    pauseOrResume: "Pause or resume indexing",
    restart: "Restart search engine",
    copyReport: "Copy diagnostics",
  },
  capture: {
    text: "Text",
    title: "Title",
    titleHelp: "Leave it empty for the first line of the text.",
    tags: "Tags",
    tagsHelp: "Between commas.",
    submit: "Capture",
    done: "Captured:",
  },
  notices: {
    copied: "Copied",
    noteGone: "This note is no longer in the vault",
    rebuilding: "Rebuilding the index. Search uses the old one until the new one is complete.",
    paused: "Indexing paused",
    resumed: "Indexing resumed",
    gaveUp: "Quarry: the search engine is not running. Open the search pane for details.",
    desktopOnly: "Quarry requires the desktop app and a vault in a local folder",
  },
} as const;

export const MODE_NAMES: Readonly<Record<Mode, string>> = { hybrid: "Both", keyword: "Words", semantic: "Meaning" };
export const MODE_TIPS: Readonly<Record<Mode, string>> = {
  // Each begins with the label of its button, because the tooltip is also the accessible name (WCAG 2.5.3, label in name).
  hybrid: "Both: by words and by meaning",
  keyword: "Words: by words only",
  semantic: "Meaning: by meaning only",
};
