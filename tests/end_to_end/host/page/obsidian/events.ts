/** Obsidian's event emitter: listeners run in order, and one that throws does not stop the others. */
import { Known } from "../known";

type Listener = (...data: unknown[]) => unknown;

/** What `on` gives back, for `offref` and `Component.registerEvent`. */
export interface EventRef {
  readonly emitter: Events;
  readonly name: string;
  readonly listener: Listener;
  readonly context: unknown;
}

export class Events extends Known {
  private readonly listeners = new Map<string, EventRef[]>();

  on(name: string, listener: Listener, context?: unknown): EventRef {
    const ref = { emitter: this, name, listener, context };
    this.listeners.set(name, [...this.refs(name), ref]);
    return ref;
  }

  offref(gone: EventRef): void {
    this.keep(gone.name, (ref) => ref !== gone);
  }

  trigger(name: string, ...data: unknown[]): void {
    for (const ref of this.refs(name)) this.tryTrigger(ref, data);
  }

  tryTrigger(ref: EventRef, data: unknown[]): void {
    try {
      ref.listener.apply(ref.context, data);
    } catch (error) {
      reportError(error);
    }
  }

  private refs(name: string): EventRef[] {
    return this.listeners.get(name) ?? [];
  }

  private keep(name: string, wanted: (ref: EventRef) => boolean): void {
    this.listeners.set(name, this.refs(name).filter(wanted));
  }
}
