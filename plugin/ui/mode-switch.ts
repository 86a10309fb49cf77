/** The three buttons of the search mode, of which one is pressed: both, words, meaning. */
import { setTooltip } from "obsidian";
import { MODES } from "../pane/keys";
import { type Mode } from "../protocol/messages";
import { t } from "../i18n/translate";

export class ModeSwitch {
  private readonly buttons: readonly (readonly [Mode, HTMLElement])[];

  constructor(parent: HTMLElement, select: (mode: Mode) => void) {
    const group = parent.createDiv({ cls: "quarry-modes", attr: { role: "group", "aria-label": t("pane.modes") } });
    this.buttons = MODES.map((mode) => {
      const button = group.createEl("button", { cls: "quarry-mode", text: t(`mode.${mode}`), attr: { "data-mode": mode } });
      setTooltip(button, t(`modeTip.${mode}`));
      button.addEventListener("click", () => {
        select(mode);
      });
      return [mode, button] as const;
    });
  }

  show(mode: Mode): void {
    for (const [own, button] of this.buttons) {
      button.setAttr("aria-pressed", String(own === mode));
      button.toggleClass("is-active", own === mode);
    }
  }
}
