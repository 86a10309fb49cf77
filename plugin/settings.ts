/**
 * The plugin's own settings: how the search pane behaves. Plain values.
 *
 * They are stored in data.json inside the vault, which may be synced to other machines. The path of the program to run is
 * therefore not among them: it is kept per device, outside the vault. The vault's settings belong to the sidecar.
 */
import { type Mode } from "./protocol/messages";

export interface Preferences {
  readonly mode: Mode;
  /** Maximum number of hits per search, one per note. */
  readonly limit: number;
  readonly showsStatusBar: boolean;
}

export const LIMITS = { least: 10, most: 100, step: 10 } as const; // 100 is the maximum of the protocol

export const DEFAULTS: Preferences = { mode: "hybrid", limit: 30, showsStatusBar: true };

const MODES: readonly Mode[] = ["hybrid", "keyword", "semantic"];

/** Valid settings from whatever data.json holds; invalid values are replaced by their defaults. */
export function migrate(saved: unknown): Preferences {
  const found: Partial<Record<keyof Preferences, unknown>> = typeof saved === "object" && saved !== null ? saved : {};
  return {
    mode: MODES.find((mode) => mode === found.mode) ?? DEFAULTS.mode,
    limit: limitOf(found.limit),
    showsStatusBar: typeof found.showsStatusBar === "boolean" ? found.showsStatusBar : DEFAULTS.showsStatusBar,
  };
}

function limitOf(value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value)) return DEFAULTS.limit;
  return Math.min(LIMITS.most, Math.max(LIMITS.least, Math.round(value)));
}
