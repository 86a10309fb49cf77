/** Time as a value that is handed in, so that nothing below `main.ts` waits in a test. */

/** Forgets a timer; harmless when it has already run. */
export type Cancel = () => void;

export interface Clock {
  /** Milliseconds from some fixed moment; never goes back, unlike the time of day. */
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
