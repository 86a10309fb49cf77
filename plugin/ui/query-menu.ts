/** The context menu of a query in the list: what its star and its cross do. */
import { Menu } from "obsidian";
import { type QueryRow } from "../pane/rows";
import { t } from "../i18n/translate";
import { type RecentHandlers } from "./recent-view";

export function queryMenu(row: QueryRow, { toggleSaved, forget }: RecentHandlers): Menu {
  const { query } = row;
  const isRecent = row.kind === "recent" && !row.isSaved;
  const menu = new Menu();
  menu.addItem((item) => item.setTitle(t(row.kind === "recent" && row.isSaved ? "pane.unsave" : "pane.save")).setIcon("star").onClick(() => { toggleSaved(query); }));
  if (isRecent) menu.addItem((item) => item.setTitle(t("pane.forget")).setIcon("x").onClick(() => { forget(query); }));
  return menu;
}
