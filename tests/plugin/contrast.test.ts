import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Rgb, blended, contrast, rgb } from "./contrast";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8").replace(/\/\*.*?\*\//gs, "");
const styles = read("../../plugin/styles.css");
const variables = read("../end_to_end/host/variables.css");

const ACCENT: Rgb = [138, 92, 245]; // hsl(258 88% 66%), Obsidian's default
const HIGHLIGHT: Rgb = [255, 208, 0]; // --text-highlight-bg, at 40 %

/** Variables that give text its colour in the pane. */
const COLOURS = new Set([...styles.matchAll(/(?<![-\w])color:\s*var\((--[\w-]+)\)/g)].map(([, name]) => name ?? ""));

/** The value of a variable in a theme, through other variables. */
function valueOf(name: string, theme: string): Rgb {
  const block = new RegExp(`\\.theme-${theme} \\{([^}]*)\\}`).exec(variables)?.[1] ?? "";
  const pattern = new RegExp(`${name}:\\s*([^;]+);`);
  const value = (pattern.exec(block) ?? pattern.exec(variables))?.[1]?.trim() ?? "";
  const reference = /^var\((--[\w-]+)\)$/.exec(value)?.[1];
  if (reference !== undefined) return valueOf(reference, theme);
  if (!/^#[0-9a-f]{6}$/i.test(value)) throw new Error(`${name} is ${value}`);
  return rgb(value);
}

/** What text of the pane can stand on, in a sidebar and in a tab. */
function grounds(theme: string): readonly (readonly [name: string, ground: Rgb])[] {
  const mono: Rgb = theme === "light" ? [0, 0, 0] : [255, 255, 255];
  return ["--background-primary", "--background-secondary"].flatMap((name) => {
    const plain = valueOf(name, theme);
    const grounds: readonly (readonly [string, Rgb])[] = [
      [name, plain],
      [`${name}, hovered`, blended(mono, 0.067, plain)],
      [`${name}, selected`, blended(ACCENT, 0.1, plain)],
    ];
    return grounds;
  });
}

test("contrast is WCAG's", () => {
  expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21, 5);
  expect(contrast(rgb("#777777"), rgb("#ffffff"))).toBeCloseTo(4.48, 2);
});

describe.each(["light", "dark"])("in the %s theme", (theme) => {
  test("all text can be read on every ground of the pane", () => {
    const failing = [...COLOURS].flatMap((colour) =>
      grounds(theme).flatMap(([name, ground]) => {
        const ratio = contrast(valueOf(colour, theme), ground);
        return ratio < 4.5 ? [`${colour} on ${name}: ${ratio.toFixed(2)}`] : [];
      }),
    );

    expect(COLOURS.size).toBeGreaterThan(1);
    expect(failing).toEqual([]);
  });

  test("marked words can be read, selected or not", () => {
    const text = valueOf("--text-normal", theme);
    const share = theme === "dark" ? Number(/\.theme-dark[^{]*\{[^}]*--text-highlight-bg\) (\d+)%/.exec(styles)?.[1]) / 100 : 1;
    const ratios = grounds(theme).map(([, ground]) => contrast(text, blended(HIGHLIGHT, 0.4 * share, ground)));

    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(4.5);
  });
});
