import { expect, test } from "vitest";
import { DENSITIES, roomFor } from "../../../plugin/snippet/layout";

test("a wider pane and a roomier density show more, and ask for as much", () => {
  const [narrow, wide] = [roomFor(250, "normal"), roomFor(700, "normal")];

  expect(wide.characters).toBeGreaterThan(2 * narrow.characters);
  expect(wide.asked).toBeGreaterThan(narrow.asked);
  expect(DENSITIES.map((density) => roomFor(300, density).characters)).toEqual([...DENSITIES.map((density) => roomFor(300, density).characters)].sort((a, b) => a - b));
});

test("more is asked for than is shown, as signs are taken out", () => {
  for (const width of [200, 300, 500]) expect(roomFor(width, "normal").asked).toBeGreaterThanOrEqual(roomFor(width, "normal").characters);
});

test("before the pane is laid out it counts as a sidebar", () => {
  expect(roomFor(0, "normal")).toEqual(roomFor(300, "normal"));
});

test("dragging a border by a few pixels asks for nothing new", () => {
  expect(roomFor(301, "normal").asked).toBe(roomFor(309, "normal").asked);
});
