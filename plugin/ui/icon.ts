/** The plugin's own icon: a pick before a note, so that the pane is not taken for Obsidian's own search. */

export const ICON = "quarry";

/** Drawn for Obsidian's icon box of 100 by 100. */
export const ICON_SVG =
  '<g fill="none" stroke="currentColor" stroke-width="8" stroke-linecap="round" stroke-linejoin="round">' +
  '<path d="M12 88 58 42"/><path d="M28 22c22-10 48-4 60 10 2 14 2 30-6 44"/><path d="M50 34 66 50"/></g>';
