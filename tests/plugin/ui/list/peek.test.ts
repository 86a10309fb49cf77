import { expect, test } from "vitest";
import { placeBeside } from "../../../../plugin/ui/list/peek";

const list = (left: number, right: number): { left: number; right: number; top: number } => ({ left, right, top: 100 });

test("the sheet stands on the side with more room, as wide as it needs", () => {
  expect(placeBeside(list(900, 1200), 1200, 800)).toEqual({ left: "332px", top: "100px", width: "560px", maxHeight: "692px" });
  expect(placeBeside(list(0, 300), 1200, 800)).toMatchObject({ left: "308px", width: "560px" });
});

test("it never leaves the window", () => {
  expect(placeBeside(list(320, 620), 620, 800)).toMatchObject({ left: "8px", width: "304px" });
  expect(placeBeside(list(0, 250), 250, 300)).toMatchObject({ left: "8px", width: "234px", top: "100px" });
  expect(placeBeside({ left: 0, right: 10, top: 5000 }, 1000, 900)).toMatchObject({ top: "300px", maxHeight: "592px" });
});
