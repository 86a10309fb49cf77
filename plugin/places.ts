/** The places besides the pane where results are shown, with their commands. */
import { type Plugin } from "obsidian";
import { t } from "./wording/translate";
import { RELATED_VIEW_TYPE, openRelated } from "./ui/related-notes";
import { RELATED_ICON, RelatedView, type RelatedViewParts } from "./ui/related-view";

export type PlaceParts = RelatedViewParts;

/** Registers the places with `plugin`, until it is unloaded. */
export function registerPlaces(plugin: Plugin, parts: PlaceParts): void {
  const { app, manifest } = plugin;
  plugin.registerView(RELATED_VIEW_TYPE, (leaf) => new RelatedView(leaf, parts));
  plugin.registerHoverLinkSource(RELATED_VIEW_TYPE, { display: `${manifest.name}: ${t("related.title")}`, defaultMod: true });
  plugin.addCommand({
    id: "open-related",
    name: t("command.related"),
    icon: RELATED_ICON,
    callback: () => { openRelated(app); },
  });
}
