import { expect, test } from "vitest";
import { Emitter } from "../../plugin/emitter";

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
