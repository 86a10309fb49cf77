/** Finds the handler of a key press in Obsidian's scopes: the innermost active one first, then its parents. */
import type { Modifier } from "obsidian";
import { Known } from "../known";

/** Gives `false` to say: handled, do nothing else with this key. */
type KeyListener = (event: KeyboardEvent, context: { modifiers: string | null; key: string | null; vkey: string }) => unknown;

interface KeyHandler {
  readonly scope: Scope;
  /** Sorted and joined; null: whatever is held. */
  readonly modifiers: string | null;
  /** null: any key. */
  readonly key: string | null;
  readonly listener: KeyListener;
}

const onMac = (): boolean => process.platform === "darwin";

export class Scope extends Known {
  private handlers: KeyHandler[] = [];

  constructor(readonly parent?: Scope) {
    super();
  }

  register(modifiers: Modifier[] | null, key: string | null, listener: KeyListener): KeyHandler {
    const handler = { scope: this, modifiers: modifiers && written(modifiers), key, listener };
    this.handlers.push(handler);
    return handler;
  }

  /** True when a handler, here or in a parent, took the key. */
  handleKey(event: KeyboardEvent): boolean {
    const held = written(heldModifiers(event));
    for (const handler of this.handlers) {
      if (handler.key !== null && handler.key.toLowerCase() !== event.key.toLowerCase()) continue;
      if (handler.modifiers !== null && handler.modifiers !== held) continue;
      if (handler.listener(event, { modifiers: held, key: event.key, vkey: event.key }) === false) return true;
    }
    return this.parent?.handleKey(event) ?? false;
  }
}

export class Keymap extends Known {
  private readonly pushed: Scope[] = [];
  /** Host: take the keys of another window as well. */
  readonly hostListen: (win: Window) => void;

  /** *base* is asked when no dialog has put its own scope on top. */
  constructor(base: () => Scope) {
    super();
    this.hostListen = (win) => win.addEventListener("keydown", (event) => {
      const scope = this.pushed.at(-1) ?? base();
      if (!scope.handleKey(event)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.hostListen(window);
  }

  pushScope(scope: Scope): void {
    this.pushed.push(scope);
  }

  popScope(scope: Scope): void {
    const at = this.pushed.lastIndexOf(scope);
    if (at >= 0) this.pushed.splice(at, 1);
  }

  static isModifier(event: KeyboardEvent | MouseEvent, modifier: Modifier): boolean {
    switch (modifier) {
      case "Mod":
        return onMac() ? event.metaKey : event.ctrlKey;
      case "Ctrl":
        return event.ctrlKey;
      case "Meta":
        return event.metaKey;
      case "Shift":
        return event.shiftKey;
      case "Alt":
        return event.altKey;
    }
  }

  /** Where a click or Enter asks its target to open: in place (false), tab, split or window. */
  static isModEvent(event?: KeyboardEvent | MouseEvent | null): false | "tab" | "split" | "window" {
    if (!event) return false;
    if (event.instanceOf(MouseEvent) && event.button === 1) return "tab";
    if (!Keymap.isModifier(event, "Mod")) return false;
    if (!event.altKey) return "tab";
    return event.shiftKey ? "window" : "split";
  }
}

function heldModifiers(event: KeyboardEvent): Modifier[] {
  const all: Modifier[] = ["Ctrl", "Meta", "Shift", "Alt"];
  return all.filter((modifier) => Keymap.isModifier(event, modifier));
}

function written(modifiers: Modifier[]): string {
  return modifiers.map((modifier) => (modifier === "Mod" ? (onMac() ? "Meta" : "Ctrl") : modifier)).sort().join(",");
}
