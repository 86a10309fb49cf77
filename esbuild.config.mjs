// Builds plugin/main.ts into main.js, the one file of code that Obsidian loads.
//   node esbuild.config.mjs [--production] [--outfile=PATH]
//   node esbuild.config.mjs --watch [VAULT]     build on every change, into the vault's plugin folder if one is named
import { rm, stat } from "node:fs/promises";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";
import { shownLocales } from "./plugin/build/locales.mjs";

// Obsidian parses it at every start, before the first window is drawn. Nearly half are four languages as plain JSON: packed, they
// were 44 KiB, but a reviewer cannot read base64, and nothing unreadable should be in one file with `child_process`.
const SIZE_LIMIT_BYTES = 400 * 1000;

const production = process.argv.includes("--production");
const watched = process.argv.includes("--watch");
const named = watched ? process.argv.slice(2).find((argument) => !argument.startsWith("--")) : undefined;
const outfileFlag = process.argv.find((argument) => argument.startsWith("--outfile="));
const outfile = outfileFlag?.slice("--outfile=".length) ?? (named ? await developmentFile(named) : fileURLToPath(new URL("main.js", import.meta.url)));

const OBSIDIAN = fileURLToPath(new URL("plugin/build/obsidian.mjs", import.meta.url));

/** Has all modules import Obsidian's names from one list. A name that is not on it fails the build. */
const oneObsidian = {
  name: "one-obsidian",
  setup(build) {
    build.onResolve({ filter: /^obsidian$/ }, ({ importer }) => (importer === OBSIDIAN ? { path: "obsidian", external: true } : { path: OBSIDIAN }));
  },
};

const options = {
  entryPoints: [fileURLToPath(new URL("plugin/main.ts", import.meta.url))],
  outfile,
  bundle: true,
  format: "cjs",
  target: "es2022",
  platform: "browser",
  // Obsidian provides these to the plugin; nothing else is imported.
  external: ["electron", ...builtinModules, ...builtinModules.map((name) => `node:${name}`)],
  minify: production,
  charset: "utf8",
  plugins: [oneObsidian, shownLocales],
  sourcemap: production ? false : "inline",
  treeShaking: true,
  logLevel: "warning",
  legalComments: "none",
};

if (watched) {
  const context = await esbuild.context(options);
  await context.watch();
} else {
  await esbuild.build(options);
  const { size } = await stat(outfile);
  if (production && size > SIZE_LIMIT_BYTES) {
    console.error(`main.js has ${size} bytes, the limit is ${SIZE_LIMIT_BYTES}: drop or lazy-load what made it grow.`);
    process.exitCode = 1;
  }
}

/** Where the plugin is built during development: in the vault, beside links to its other files. */
async function developmentFile(name) {
  const { markForHotReload, placePlugin, vaultFolder } = await import("./sidecar/dev/vault_plugin.mjs");
  const { vault, error } = vaultFolder(name);
  if (error) {
    console.error(error);
    process.exit(2);
  }
  const { folder, copied } = placePlugin(vault, { files: ["manifest.json", join("plugin", "styles.css")], link: true });
  await rm(join(folder, "main.js"), { force: true }); // a link would lead to the checkout's own build
  markForHotReload(folder);
  if (copied.length > 0) console.error(`Copied ${copied.join(" and ")}: this system allows no links, so restart this command when they change.`);
  console.error(`Building into ${folder} on every change. With the plugin Hot-Reload, Obsidian reloads Quarry by itself.`);
  return join(folder, "main.js");
}
