/** An event with listeners: the publisher does not know its subscribers. */
export class Emitter<T> {
  readonly #listeners = new Set<(value: T) => void>();

  /** Calls `listener` at each `emit` until the returned function is called. */
  listen(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  emit(value: T): void {
    // A copy, because a listener may unsubscribe while it runs.
    for (const listener of [...this.#listeners]) listener(value);
  }
}
