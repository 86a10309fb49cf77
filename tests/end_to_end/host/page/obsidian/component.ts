/** Cleans up when a component is unloaded: children, listeners and timers, last in, first out. */
import type { EventRef } from "./events";

export class Component {
  private loaded = false;
  private readonly children = new Set<Component>();
  private readonly cleanups: (() => unknown)[] = [];

  /** Gives back what `onload` gave, so that an asynchronous `onload` can be awaited. */
  load(): unknown {
    if (this.loaded) return undefined;
    this.loaded = true;
    const loading = this.onload();
    for (const child of this.children) child.load();
    return loading;
  }

  onload(): unknown {
    return undefined;
  }

  unload(): void {
    if (!this.loaded) return;
    this.loaded = false;
    for (const child of this.children) child.unload();
    this.children.clear();
    while (this.cleanups.length > 0) this.cleanups.pop()?.();
    this.onunload();
  }

  onunload(): void {}

  addChild<T extends Component>(child: T): T {
    this.children.add(child);
    if (this.loaded) child.load();
    return child;
  }

  removeChild<T extends Component>(child: T): T {
    if (this.children.delete(child)) child.unload();
    return child;
  }

  register(cleanup: () => unknown): void {
    this.cleanups.push(cleanup);
  }

  registerEvent(ref: EventRef): void {
    this.register(() => ref.emitter.offref(ref));
  }

  registerDomEvent(target: EventTarget, type: string, listener: EventListener, options?: boolean | AddEventListenerOptions): void {
    target.addEventListener(type, listener, options);
    this.register(() => target.removeEventListener(type, listener, options));
  }

  registerInterval(id: number): number {
    this.register(() => clearInterval(id));
    return id;
  }
}
