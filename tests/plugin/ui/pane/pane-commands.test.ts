// @vitest-environment jsdom
import { App, type KeymapContext, type KeymapEventListener, type Modifier, Scope } from "obsidian";
import { expect, test, vi } from "vitest";
import "../dom";
import { keyScope } from "../../../../plugin/ui/pane/pane-commands";

type Listener = KeymapEventListener;

test("every combination is taken before a hotkey of Obsidian's, unless it was taken already", () => {
  const registered = new Map<string, Listener>();
  vi.spyOn(Scope.prototype, "register").mockImplementation((modifiers: Modifier[] | null, key: string | null, listener: Listener) => {
    registered.set([...(modifiers ?? []), key].join("+"), listener);
    return { scope: new Scope(), modifiers: null, key, func: listener };
  });
  const asked: string[] = [];
  keyScope(new App(), ({ key }) => asked.push(key) === 1);
  const press = (combination: string): unknown => registered.get(combination)?.(new KeyboardEvent("keydown", { key: combination }), {} as KeymapContext);
  const taken = new KeyboardEvent("keydown", { cancelable: true });
  taken.preventDefault();

  expect([press("Mod+c"), press("Alt+Enter")]).toEqual([false, undefined]);
  expect(registered.get("Mod+c")?.(taken, {} as KeymapContext)).toBe(false);
  expect(asked).toEqual(["Mod+c", "Alt+Enter"]);
  expect([...registered.keys()].filter((combination) => !combination.includes("+"))).toEqual([]);
});
