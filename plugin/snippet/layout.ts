/** How much of a passage do rows show at a given width and density? Pure. */
import { type Room } from "./excerpt";

export type Density = "compact" | "normal" | "roomy";
export const DENSITIES: readonly Density[] = ["compact", "normal", "roomy"];

/** Lines of an excerpt; the style sheet holds as many. */
export const LINES: Readonly<Record<Density, number>> = { compact: 1, normal: 2, roomy: 5 };

/** The usual height of a row; where rows are lower, more of them are loaded at once. */
const ROW_PX: Readonly<Record<Density, number>> = { compact: 44, normal: 64, roomy: 110 };
const UNMEASURED_PX = 700;
const WIDE_PX = 400; // from here on there is room for tags beside the name

const CHARACTER_PX = 5.9; // of the small interface font, measured over English, German and code
const PADDING_PX = 34; // left and right of the text
const LEAST_CHARACTERS = 36;
const NARROW_PX = 300; // the width of a sidebar, until a pane has been laid out

// Asked for in steps, so that dragging a border does not repeat the search at every pixel. Signs and addresses take up to
// half of a snippet's source.
const STEPS = [120, 240, 400, 640] as const;
const SIGNS_SHARE = 1.4;

/** How many rows are in sight in a list that is `heightPx` high, and two below; 0 where it is not known yet. */
export function rowsInSight(heightPx: number, density: Density): number {
  return Math.ceil((heightPx || UNMEASURED_PX) / ROW_PX[density]) + 2;
}

export function isWide(widthPx: number): boolean {
  return widthPx >= WIDE_PX;
}

/** The room for an excerpt in a pane that is `widthPx` wide; 0 where it is not known yet. */
export function roomFor(widthPx: number, density: Density): Room {
  const perLine = Math.max(LEAST_CHARACTERS, Math.floor(((widthPx || NARROW_PX) - PADDING_PX) / CHARACTER_PX));
  const characters = perLine * LINES[density];
  return { characters, asked: STEPS.find((step) => step >= characters * SIGNS_SHARE) ?? STEPS[STEPS.length - 1] ?? characters };
}
