/** Obsidian's additions to the DOM, and the little that jsdom lacks. Import it first in a file that runs under jsdom. */
import { setup } from "obsidian-test-mocks/setup";

setup();
// jsdom lays nothing out, so there is nothing to scroll.
Element.prototype.scrollIntoView = () => undefined;

/** Elements that a test put under `document.body`, for the next one to find it empty. */
export function emptyBody(): HTMLElement {
  document.body.empty();
  return document.body;
}

/** The one element that matches; says which was wanted when there is none. */
export function one(root: ParentNode, selector: string): HTMLElement {
  const found = root.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`nothing matches ${selector}`);
  return found;
}

export function texts(root: ParentNode, selector: string): string[] {
  return [...root.querySelectorAll(selector)].map(({ textContent }) => textContent);
}

export function key(target: HTMLElement, name: string, modifiers: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...modifiers });
  target.dispatchEvent(event);
  return event;
}

/** Counts the nodes that are taken out below `root` while `change` runs. */
export function removedBy(root: Node, change: () => void): number {
  const observer = new MutationObserver(() => undefined);
  observer.observe(root, { childList: true, subtree: true });
  change();
  const removed = observer.takeRecords().reduce((sum, record) => sum + record.removedNodes.length, 0);
  observer.disconnect();
  return removed;
}
