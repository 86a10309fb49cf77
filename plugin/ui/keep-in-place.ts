/** Inserting above an element without moving it on the screen. */

/** Runs `change` and scrolls `scroller` so that `el`, if it is still there, stays where it was. */
export function keepInPlace(scroller: HTMLElement, el: Element | null, change: () => void): void {
  const before = el?.getBoundingClientRect().top ?? 0;
  change();
  if (el?.isConnected) scroller.scrollTop += el.getBoundingClientRect().top - before;
}
