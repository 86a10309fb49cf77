// What the community directory checks (obsidianmd), TypeScript's strict rules, and who may import whom in plugin/.
import obsidianmd from "eslint-plugin-obsidianmd";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

const IMPORTS = "@typescript-eslint/no-restricted-imports";

/** The directory's review shows warnings as findings, so here they fail. */
const asErrors = (configs) =>
  configs.map((config) => {
    const rules = Object.entries(config.rules ?? {}).map(([name, setting]) => {
      const [level, ...rest] = Array.isArray(setting) ? setting : [setting];
      return [name, level === "warn" || level === 1 ? ["error", ...rest] : setting];
    });
    return config.rules ? { ...config, rules: Object.fromEntries(rules) } : config;
  });

/** Packages that obsidianmd refuses (axios and the like): our folder rules replace its setting, so they repeat it. */
const refusedPackages = obsidianmd.configs.recommended
  .flatMap((config) => config.rules?.[IMPORTS]?.slice?.(1) ?? [])
  .filter((path, index, all) => all.findIndex((other) => other.name === path.name) === index);

const NODE = "^(node:)?(assert|buffer|child_process|crypto|events|fs|http|https|net|os|path|stream|url|util)(/.*)?$";

const nodeIsReachedOnce = {
  regex: NODE,
  message: "Node is reached in plugin/sidecar/process.ts alone, so that one file shows what the plugin does to the machine.",
};

/** One folder's rule: what it may not import, and the sentence that says where such code belongs. */
const folder = (files, ...patterns) => ({
  files,
  rules: { [IMPORTS]: ["error", { paths: refusedPackages, patterns }] },
});

const noObsidian = (who) => ({
  regex: "^obsidian$",
  message: `${who} knows nothing of Obsidian: take what is needed as a value or a callback, and let ui/ or main.ts hand it in.`,
});
const no = (regex, message, allowTypeImports = false) => ({ regex, message, allowTypeImports });

export default defineConfig([
  { ignores: ["main.js", "node_modules/**", "plugin/build/**", "sidecar/**", "tests/end_to_end/**"] },
  ...asErrors(obsidianmd.configs.recommended),
  { linterOptions: { noInlineConfig: true } }, // no line of the plugin is excepted
  {
    files: ["**/*.ts"],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/explicit-module-boundary-types": "error",
      "no-restricted-syntax": [
        "error",
        {
          selector: ":matches(PropertyDefinition, MethodDefinition[kind!='constructor'])[accessibility='private']",
          message: "Write `#name`: Obsidian's classes have undocumented members, which a `private` one would replace, and the build shortens it.",
        },
      ],
    },
  },
  folder(["plugin/*.ts"], nodeIsReachedOnce),
  folder(
    ["plugin/{clock,signal,settings}.ts"],
    nodeIsReachedOnce,
    noObsidian("This file"),
    no("/(ui|sidecar|vault)/", "Plain values stand below everything else and import nothing of it."),
  ),
  folder(
    ["plugin/protocol/**"],
    nodeIsReachedOnce,
    noObsidian("The wire"),
    no("^\\.\\./", "The wire is the lowest layer: it imports nothing of ours."),
  ),
  folder(
    ["plugin/sidecar/**"],
    nodeIsReachedOnce,
    noObsidian("sidecar/"),
    no("/(ui|vault|search)/", "sidecar/ is below ui/, vault/ and search/: publish a state or a signal and let them listen."),
  ),
  folder(
    ["plugin/sidecar/process.ts"],
    noObsidian("The process"),
    no("/(ui|vault|search)/", "sidecar/ is below ui/, vault/ and search/."),
  ),
  folder(
    ["plugin/vault/**"],
    nodeIsReachedOnce,
    no("/(ui|search)/", "Watching the vault has no screen: report through the client."),
    no("/sidecar/(process|connection|supervisor|program-paths)$", "vault/ speaks to the client, not to the process or the socket.", true),
  ),
  folder(
    ["plugin/vault/{changes,sync}.ts"],
    nodeIsReachedOnce,
    noObsidian("Coalescing and sending changes"),
    no("/(ui|search)/", "Watching the vault has no screen: report through the client."),
    no("/sidecar/(process|connection|supervisor|program-paths)$", "vault/ speaks to the client, not to the process or the socket.", true),
  ),
  folder(
    ["plugin/search/**"],
    nodeIsReachedOnce,
    noObsidian("A search"),
    no("/(ui|vault)/", "A search has no screen: publish a SearchState and let ui/ draw it.", true),
    no("/sidecar/(process|connection|supervisor|program-paths)$", "A search speaks to the client, not to the process or the socket.", true),
  ),
  folder(
    ["plugin/api/**"],
    nodeIsReachedOnce,
    no("^obsidian$", "Other plugins ask for values: let main.ts hand in what is needed. Types may be imported.", true),
    no("/(ui|vault|pane)/", "Other plugins are answered by the engine, not by a screen."),
    no("/sidecar/", "Only types come from below.", true),
  ),
  folder(
    ["plugin/ui/**"],
    nodeIsReachedOnce,
    no("/vault/", "The screen shows what a session or the index status says; it does not watch the vault."),
    no("/sidecar/", "The DOM speaks to a session and to the callbacks it was given, not to the socket. Types may be imported.", true),
  ),
  folder(
    ["plugin/{pane,snippet,i18n,writing}/**", "plugin/ui/completion/completion.ts"],
    nodeIsReachedOnce,
    noObsidian("What only computes"),
    no("/ui/", "What only computes stands below the screen."),
    no("/vault/", "The screen does not watch the vault."),
    no("/sidecar/(?!quarry/locales/)", "Only types come from below.", true),
  ),
  // Tests start real processes and sockets, so they reach Node; they stand outside Obsidian's window.
  {
    files: ["tests/**/*.ts"],
    rules: {
      [IMPORTS]: ["error", { paths: refusedPackages }],
      "obsidianmd/prefer-window-timers": "off",
      "import/no-nodejs-modules": "off",
    },
  },
]);
