import { expect, test } from "vitest";
import { Signal } from "../../plugin/signal";

test("every listener gets every value until it stops listening", () => {
  const signal = new Signal<number>();
  const [first, second]: number[][] = [[], []];
  const stop = signal.listen((value) => first?.push(value));
  signal.listen((value) => second?.push(value));
  signal.emit(1);
  stop();
  signal.emit(2);

  expect([first, second]).toEqual([[1], [1, 2]]);
});

test("a listener may stop listening while it is called, without another one being skipped", () => {
  const signal = new Signal<void>();
  const called: string[] = [];
  const stop = signal.listen(() => {
    called.push("once");
    stop();
  });
  signal.listen(() => called.push("always"));
  signal.emit();
  signal.emit();

  expect(called).toEqual(["once", "always", "always"]);
});
