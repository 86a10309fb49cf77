/** Events of the search box: text, keys, and an input method's composition. */
import { type Component } from "obsidian";
import { type PaneDom } from "./pane-dom";

export interface InputHandlers {
  /** The text changed, and is not the spelling of an input method. */
  readonly typed: (text: string) => void;
  /** Handles a key that is not for the suggestions; true when it was handled. */
  readonly key: (event: KeyboardEvent) => boolean;
  /** The box lost the keyboard focus. */
  readonly left: () => void;
}

/** Handles events of the box until `owner` is unloaded. */
export function listenToInput(owner: Component, { search, input, completions, list: { bodyEl } }: PaneDom, { typed, key, left }: InputHandlers): void {
  let isComposing = false;
  const onText = (): void => {
    if (!isComposing) typed(input.value);
  };
  search.onChange(onText); // typing, and the button that clears
  owner.registerDomEvent(input, "input", onText);
  // While an input method composes, the box holds its spelling rather than words.
  owner.registerDomEvent(input, "compositionstart", () => { isComposing = true; });
  owner.registerDomEvent(input, "compositionend", () => {
    isComposing = false;
    onText();
  });
  owner.registerDomEvent(input, "keydown", (event) => {
    if (!event.defaultPrevented && (completions.handleKey(event) || key(event))) event.preventDefault();
  });
  // What scrolls can be reached by Tab: from there, a key for the rows does what it does in the box.
  owner.registerDomEvent(bodyEl, "keydown", (event) => {
    if (event.target !== bodyEl || !key(event)) return;
    event.preventDefault();
    input.focus();
  });
  owner.registerDomEvent(input, "click", () => { completions.close(); }); // the caret moves away
  owner.registerDomEvent(input, "blur", () => {
    completions.close();
    left();
  });
}
