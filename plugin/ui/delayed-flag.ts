/** A flag that says "please wait", shown only when the wait is long enough to be noticed. */
import { type Cancel, type Clock } from "../clock";

const DELAY_MS = 150; // most answers arrive sooner, and then nothing flickers

export class DelayedFlag {
  private isSet = false;
  private cancel: Cancel = () => undefined;

  /** `show` is called with true `DELAY_MS` after the flag was set, and with false at once when it is cleared. */
  constructor(
    private readonly clock: Clock,
    private readonly show: (isOn: boolean) => void,
  ) {}

  /** Sets or clears the flag. Setting it again does not restart the delay. */
  set(isSet: boolean): void {
    if (isSet === this.isSet) return;
    this.isSet = isSet;
    this.cancel();
    if (isSet) this.cancel = this.clock.after(DELAY_MS, () => { this.show(true); });
    else this.show(false);
  }
}
