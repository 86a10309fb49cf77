/** Draws labelled facts as a description list; facts that did not change are not drawn again. */
import { type Fact } from "../../i18n/inspection";

export function drawFacts(el: HTMLElement, facts: readonly Fact[]): void {
  const wanted = JSON.stringify(facts);
  if (el.dataset["shown"] === wanted) return;
  el.dataset["shown"] = wanted;
  el.empty();
  for (const [label, value] of facts) {
    const fact = el.createDiv();
    fact.createEl("dt", { text: label });
    fact.createEl("dd", { text: value, attr: { dir: "auto" } });
  }
}
