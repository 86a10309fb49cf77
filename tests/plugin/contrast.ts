/** Contrast of two colours by WCAG 2.2, and colours of Obsidian's default theme as its documentation gives them. */

export type Rgb = readonly [red: number, green: number, blue: number];

/** WCAG's contrast ratio, 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** `over` with an opacity of 0 to 1, on `ground`. */
export function blended(over: Rgb, opacity: number, ground: Rgb): Rgb {
  const mix = (at: 0 | 1 | 2): number => over[at] * opacity + ground[at] * (1 - opacity);
  return [mix(0), mix(1), mix(2)];
}

export function rgb(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff];
}

function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
