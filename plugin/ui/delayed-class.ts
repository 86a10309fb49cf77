/** A CSS class that says "please wait", added only when the wait is long enough to be noticed. */
import { type Cancel, type Clock } from "../clock";

const DELAY_MS = 150; // most answers arrive sooner, and then nothing flickers

export class DelayedClass {
  private isOn = false;
  private cancel: Cancel = () => undefined;

  constructor(
    private readonly el: HTMLElement,
    private readonly name: string,
    private readonly clock: Clock,
  ) {}

  /** Turning on takes effect after `DELAY_MS`, counted from the first call; turning off at once. */
  set(isOn: boolean): void {
    if (isOn === this.isOn) return;
    this.isOn = isOn;
    this.cancel();
    if (isOn) this.cancel = this.clock.after(DELAY_MS, () => { this.el.addClass(this.name); });
    else this.el.removeClass(this.name);
  }
}
