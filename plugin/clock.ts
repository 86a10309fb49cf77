/** A clock passed as an argument, so that no test of the code below `main.ts` has to wait. */

/** Cancels a timer; does nothing once it has run. */
export type Cancel = () => void;

export interface Clock {
  /** Monotonic time in milliseconds. */
  now(): number;
  /** Calls `run` once, after at least `delayMs`. */
  after(delayMs: number, run: () => void): Cancel;
}

export const windowClock: Clock = {
  now: () => performance.now(),
  after(delayMs, run) {
    const timer = window.setTimeout(run, delayMs);
    return () => {
      window.clearTimeout(timer);
    };
  },
};
