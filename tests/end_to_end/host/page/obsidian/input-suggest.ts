/** The place of suggestions under a text field, which the host does not show. */
import type { App } from "./app";

export abstract class AbstractInputSuggest {
  constructor(
    readonly app: App,
    readonly hostInputEl: HTMLInputElement,
  ) {}
}
