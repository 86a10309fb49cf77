/** What was done to the query to find these rows, in lines above them: corrected words, what was given up. */
import { type Answer } from "../search/session";
import { insisting } from "../search/insist";
import { correctionWords, insistWords, relaxedWords } from "./answer-words";
import { type ActionId } from "./wording";

export class Remarks {
  private shown = "";

  constructor(
    private readonly el: HTMLElement,
    private readonly act: (action: ActionId) => void,
  ) {}

  show(answer: Answer | null): void {
    const relaxed = answer ? relaxedWords(answer.relaxed, answer.understood) : "";
    const corrected = answer ? correctionWords(answer.corrections) : "";
    const canInsist = answer !== null && insisting(answer.query, answer.corrections) !== null;
    const insist = canInsist ? insistWords(answer.corrections) : null;
    // A line that stays is left alone, and with it the focus on its button.
    const wanted = JSON.stringify([relaxed, corrected, insist]);
    if (wanted === this.shown) return;
    this.shown = wanted;
    this.el.empty();
    this.el.toggleClass("is-hidden", relaxed === "" && corrected === "");
    if (relaxed !== "") this.el.createDiv({ cls: "quarry-relaxed", text: relaxed });
    if (corrected !== "") this.drawCorrection(corrected, insist);
  }

  private drawCorrection(text: string, insist: string | null): void {
    const line = this.el.createDiv({ cls: "quarry-correction", text });
    if (insist === null) return;
    line.appendText(" ");
    const button = line.createEl("button", { cls: "quarry-link", text: insist, attr: { "data-action": "search-typed" } });
    button.addEventListener("click", () => {
      this.act("search-typed");
    });
  }
}
