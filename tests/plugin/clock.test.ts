// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { windowClock } from "../../plugin/clock";

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

test("a timer runs once, after its delay", () => {
  const run = vi.fn();
  windowClock.after(100, run);
  vi.advanceTimersByTime(99);
  const early = run.mock.calls.length;
  vi.advanceTimersByTime(1_000);

  expect([early, run.mock.calls.length]).toEqual([0, 1]);
});

test("a cancelled timer does not run; cancelling it later does nothing", () => {
  const run = vi.fn();
  const cancel = windowClock.after(100, run);
  cancel();
  vi.advanceTimersByTime(1_000);
  cancel();

  expect(run).not.toHaveBeenCalled();
});

test("the time never goes back", () => {
  const before = windowClock.now();
  vi.advanceTimersByTime(5);

  expect(windowClock.now() - before).toBeGreaterThanOrEqual(5);
});
