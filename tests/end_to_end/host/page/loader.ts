/** Runs a plugin's `main.js` as the app does: unchanged, as a CommonJS function in the window's own scope. */
import { waitedMs } from "./node/bridge-client";
import type { PluginManifest } from "obsidian";
import type { App } from "./obsidian/app";
import type { Plugin } from "./obsidian/plugin";

type PluginClass = new (app: App, manifest: PluginManifest) => Plugin;
type Wrapper = (require: (name: string) => object, module: { exports: unknown }, exports: object) => void;

interface ScriptPolicy {
  createScript(source: string): string;
}

declare global {
  interface Window {
    trustedTypes?: { createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy };
  }
}

// The page's policy allows this name once, so that a plugin can make no policy of its own.
const policy = window.trustedTypes?.createPolicy("host-loader", { createScript: (source) => source });

/** Loads and unloads the one plugin under test, which lies in the vault's plugin folder. */
export class PluginLoader {
  private loaded: Plugin | null = null;
  private styles: HTMLLinkElement | null = null;

  constructor(
    private readonly app: App,
    private readonly require: (name: string) => object,
  ) {}

  get isEnabled(): boolean {
    return this.loaded !== null;
  }

  /** Resolves when `onload` is done. */
  async enable(): Promise<void> {
    if (this.loaded) throw new Error("the plugin is already enabled");
    const manifest = (await (await fetch("/plugin/manifest.json")).json()) as PluginManifest;
    const source = await (await fetch("/plugin/main.js")).text();
    this.styles = document.head.createEl("link", { href: "/plugin/styles.css", attr: { rel: "stylesheet" } });
    this.app.workspace.trigger("css-change");
    const begun = performance.now() - waitedMs;
    const PluginUnderTest = evaluate(source, manifest.id, this.require);
    this.loaded = new PluginUnderTest(this.app, { ...manifest, dir: `${this.app.vault.configDir}/plugins/${manifest.id}` });
    await this.loaded.load();
    performance.measure("plugin loaded", { start: begun + waitedMs }); // what Obsidian shows as a plugin's start-up time
  }

  async disable(): Promise<void> {
    this.loaded?.unload();
    this.loaded = null;
    this.styles?.remove();
    this.app.workspace.trigger("css-change");
    await this.app.workspace.hostSettled();
  }
}

function evaluate(source: string, id: string, require: (name: string) => object): PluginClass {
  const code = `(function anonymous(require,module,exports){${source}\n})\n//# sourceURL=plugin:${id}`;
  const wrapper = (0, eval)(policy?.createScript(code) ?? code) as Wrapper;
  const module: { exports: unknown } = { exports: {} };
  wrapper(require, module, module.exports as object);
  const exported = module.exports as { default?: PluginClass } | PluginClass;
  const PluginUnderTest = typeof exported === "function" ? exported : exported.default;
  if (!PluginUnderTest) throw new Error("main.js exports no plugin class");
  return PluginUnderTest;
}
