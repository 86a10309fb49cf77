/** Lines above the rows that say how they were found: corrected words, relaxed conditions, or nothing that fits well. */
import { type Answer } from "../search/session";
import { quotedAsTyped } from "../search/spelling";
import { correctionWords, relaxedWords, searchAsTypedWords, unknownWordsLine, weaknessWords } from "../wording/answer";
import { type ActionId } from "../pane/commands";

export class QueryAdjustments {
  private shown = "";

  constructor(
    private readonly el: HTMLElement,
    private readonly act: (action: ActionId) => void,
  ) {}

  show(answer: Answer | null): void {
    const relaxed = answer ? relaxedWords(answer.relaxed, answer.understood) : "";
    const weak = answer ? weaknessWords(answer) : "";
    const corrected = answer ? correctionWords(answer.corrections) : "";
    const unknown = answer ? unknownWordsLine(answer.unknownWords) : "";
    const canSearchAsTyped = answer !== null && quotedAsTyped(answer.query, answer.corrections) !== null;
    const buttonText = canSearchAsTyped ? searchAsTypedWords(answer.corrections) : null;
    // Unchanged lines are not redrawn, so that a button keeps the focus.
    const wanted = JSON.stringify([relaxed, weak, corrected, buttonText, unknown]);
    if (wanted === this.shown) return;
    this.shown = wanted;
    this.el.empty();
    this.el.toggleClass("is-hidden", relaxed === "" && weak === "" && corrected === "" && unknown === "");
    if (relaxed !== "") this.el.createDiv({ cls: "quarry-relaxed", text: relaxed });
    if (weak !== "") this.el.createDiv({ cls: "quarry-weak", text: weak });
    if (corrected !== "") this.drawCorrection(corrected, buttonText);
    if (unknown !== "") this.el.createDiv({ cls: "quarry-unknown", text: unknown });
  }

  private drawCorrection(text: string, buttonText: string | null): void {
    const line = this.el.createDiv({ cls: "quarry-correction", text });
    if (buttonText === null) return;
    line.appendText(" ");
    const button = line.createEl("button", { cls: "quarry-link", text: buttonText, attr: { "data-action": "search-typed" } });
    button.addEventListener("click", () => {
      this.act("search-typed");
    });
  }
}
