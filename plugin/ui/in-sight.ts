/** Is an element in sight? What is scrolled away, behind another tab or in a folded sidebar is not. */
import { type Component } from "obsidian";

/** Calls `change` when `el` comes into sight or leaves it, until `owner` is unloaded. Until the first call it is out of sight. */
export function watchSight(owner: Component, el: HTMLElement, change: (isInSight: boolean) => void): void {
  let was = false;
  const observer = new IntersectionObserver((entries) => {
    const is = entries.at(-1)?.isIntersecting ?? false;
    if (is === was) return;
    was = is;
    change(is);
  });
  observer.observe(el);
  owner.register(() => { observer.disconnect(); });
}
