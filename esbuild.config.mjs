// Builds plugin/main.ts into main.js, the one file of code that Obsidian loads.
//   node esbuild.config.mjs [--production] [--watch] [--outfile=PATH]
import { stat } from "node:fs/promises";
import { builtinModules } from "node:module";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";
import { packedLocales } from "./esbuild.locales.mjs";

const SIZE_LIMIT_BYTES = 260 * 1024; // Obsidian parses it at every start, before the first window is drawn

const production = process.argv.includes("--production");
const outfileFlag = process.argv.find((argument) => argument.startsWith("--outfile="));
const outfile = outfileFlag?.slice("--outfile=".length) ?? fileURLToPath(new URL("main.js", import.meta.url));

const options = {
  entryPoints: [fileURLToPath(new URL("plugin/main.ts", import.meta.url))],
  outfile,
  bundle: true,
  format: "cjs",
  target: "es2022",
  platform: "browser",
  // Obsidian hands these to the plugin; everything else would have to be bundled, and nothing else is used.
  external: ["obsidian", "electron", ...builtinModules, ...builtinModules.map((name) => `node:${name}`)],
  minify: production,
  charset: "utf8",
  plugins: [packedLocales],
  sourcemap: production ? false : "inline",
  treeShaking: true,
  logLevel: "warning",
  legalComments: "none",
};

if (process.argv.includes("--watch")) {
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
