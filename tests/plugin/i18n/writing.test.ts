import { expect, test } from "vitest";
import { chosenWords, isForSeveral, rowCommandName } from "../../../plugin/i18n/writing";

test("a command says how many rows it concerns, where it is offered for several", () => {
  expect([rowCommandName("insert-link", 1), rowCommandName("insert-link", 3), rowCommandName("explain", 3)]).toEqual(["Insert link", "Insert 3 links", "Why is this here?"]);
  expect([isForSeveral("copy-link"), isForSeveral("open-split")]).toEqual([true, false]);
});

test("nothing is said while nothing is chosen", () => {
  expect([chosenWords(0), chosenWords(2)]).toEqual(["", "2 selected"]);
});
