/**
 * What the plugin itself remembers: how the pane behaves. Plain values.
 *
 * It is stored in data.json, which lies in the vault and travels with it to other machines. So nothing here names a
 * program to run: that path is kept per device, outside the vault. The vault's own settings belong to the sidecar.
 */
import { type Mode } from "./protocol/messages";

export interface Settings {
  readonly mode: Mode;
  /** Hits asked for, one a note. */
  readonly limit: number;
  readonly showsStatusBar: boolean;
}

export const LIMITS = { least: 10, most: 100, step: 10 } as const; // 100 is the most the sidecar gives

export const DEFAULTS: Settings = { mode: "hybrid", limit: 30, showsStatusBar: true };

const MODES: readonly Mode[] = ["hybrid", "keyword", "semantic"];

/** Whatever data.json holds becomes valid settings; what cannot be used is as if it were not there. */
export function migrate(saved: unknown): Settings {
  const found: Partial<Record<keyof Settings, unknown>> = typeof saved === "object" && saved !== null ? saved : {};
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
