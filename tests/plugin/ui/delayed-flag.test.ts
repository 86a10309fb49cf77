import { beforeEach, expect, test } from "vitest";
import { DelayedFlag } from "../../../plugin/ui/delayed-flag";
import { type ManualClock, manualClock } from "../builders";

let clock: ManualClock;
let waiting: DelayedFlag;
let isShown: boolean;

beforeEach(() => {
  isShown = false;
  clock = manualClock();
  waiting = new DelayedFlag(clock, (isOn) => { isShown = isOn; });
});

test("appears after a delay, counted from the first of several calls", async () => {
  waiting.set(true);
  await clock.advance(100);
  waiting.set(true);
  const early = isShown;
  await clock.advance(50);

  expect(early).toBe(false);
  expect(isShown).toBe(true);
});

test("never appears where the wait is short", async () => {
  waiting.set(true);
  await clock.advance(100);
  waiting.set(false);
  await clock.advance(1_000);

  expect(isShown).toBe(false);
});

test("disappears at once", async () => {
  waiting.set(true);
  await clock.advance(1_000);
  waiting.set(false);

  expect(isShown).toBe(false);
});
