/**
 * Lets a view's keys come before Obsidian's hotkeys of the same name (Mod+O opens its quick switcher) while its box has the
 * focus: a view's scope is asked first.
 */
import { type App, type Modifier, Scope } from "obsidian";
import { BINDINGS } from "../pane/keys";

/** `handle` gives true for a key that it took; it is not asked about one that was taken already. */
export function keyScope(app: App, handle: (event: KeyboardEvent) => boolean): Scope {
  const scope = new Scope(app.scope);
  const take = (event: KeyboardEvent): false | undefined => (event.defaultPrevented || handle(event) ? false : undefined);
  for (const [combination] of BINDINGS.flatMap(({ keys }) => keys)) {
    const parts = combination.split("+");
    const key = parts.pop() ?? "";
    if (parts.length > 0) scope.register(parts as Modifier[], key, take);
  }
  return scope;
}
