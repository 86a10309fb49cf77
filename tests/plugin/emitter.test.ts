import { expect, test } from "vitest";
import { Emitter } from "../../plugin/emitter";

test("every listener gets every value until it stops listening", () => {
  const emitter = new Emitter<number>();
  const [first, second]: number[][] = [[], []];
  const stop = emitter.listen((value) => first?.push(value));
  emitter.listen((value) => second?.push(value));
  emitter.emit(1);
  stop();
  emitter.emit(2);

  expect([first, second]).toEqual([[1], [1, 2]]);
});

test("a listener may stop listening while it is called, without another one being skipped", () => {
  const emitter = new Emitter<void>();
  const called: string[] = [];
  const stop = emitter.listen(() => {
    called.push("once");
    stop();
  });
  emitter.listen(() => called.push("always"));
  emitter.emit();
  emitter.emit();

  expect(called).toEqual(["once", "always", "always"]);
});
