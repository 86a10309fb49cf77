/**
 * The plugin's own settings: how the search pane behaves. Plain values.
 *
 * They are stored in data.json inside the vault, which may be synced to other machines. The path of the program to run is
 * therefore not among them: it is kept per device, outside the vault. The vault's settings belong to the sidecar.
 */
import { NAMINGS, type Naming } from "./pane/note-name";
import { LIMITS, type Mode, MODES } from "./protocol/messages";
import { DENSITIES, type Density } from "./snippet/excerpt";

export interface Preferences {
  readonly mode: Mode;
  /** Maximum number of hits per search, one per note. */
  readonly limit: number;
  readonly showsStatusBar: boolean;
  readonly naming: Naming;
  readonly density: Density;
  /** Queries that the user starred, newest first. */
  readonly saved: readonly string[];
}

export const MAX_SAVED = 50; // more are not found by looking at them

export const LIMIT_RANGE = { least: 10, most: LIMITS.maxLimit, step: 10 } as const;

export const DEFAULTS: Preferences = { mode: "hybrid", limit: 30, showsStatusBar: true, naming: "file", density: "auto", saved: [] };

/** Valid settings from the content of data.json; invalid values are replaced by their defaults. */
export function migrate(saved: unknown): Preferences {
  const found: Partial<Record<keyof Preferences, unknown>> = typeof saved === "object" && saved !== null ? saved : {};
  return {
    mode: MODES.find((mode) => mode === found.mode) ?? DEFAULTS.mode,
    limit: limitOf(found.limit),
    naming: NAMINGS.find((naming) => naming === found.naming) ?? DEFAULTS.naming,
    density: DENSITIES.find((density) => density === found.density) ?? DEFAULTS.density,
    saved: savedOf(found.saved),
    showsStatusBar: typeof found.showsStatusBar === "boolean" ? found.showsStatusBar : DEFAULTS.showsStatusBar,
  };
}

function limitOf(value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value)) return DEFAULTS.limit;
  return Math.min(LIMIT_RANGE.most, Math.max(LIMIT_RANGE.least, Math.round(value)));
}

function savedOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return DEFAULTS.saved;
  const queries = value.filter((query): query is string => typeof query === "string" && query.trim() !== "");
  return [...new Set(queries)].slice(0, MAX_SAVED);
}
