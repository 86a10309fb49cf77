/** Puts the catalogues into `main.js` as they are, without the sentences that the plugin never shows. */
import { readFileSync } from "node:fs";

/** Groups of sentences that only the command line, the MCP server and hooks show. */
const NOT_OF_PLUGIN = /^(abstained|compared|incomplete|mcp)\./;

/** @param {string} path */
export function shownCatalogue(path) {
  const catalogue = /** @type {Record<string, unknown>} */ (JSON.parse(readFileSync(path, "utf8")));
  return JSON.stringify(Object.fromEntries(Object.entries(catalogue).filter(([key]) => !NOT_OF_PLUGIN.test(key))));
}

/** @type {import("esbuild").Plugin} */
export const shownLocales = {
  name: "shown-locales",
  setup(build) {
    build.onLoad({ filter: /[\\/]locales[\\/]\w+\.json$/ }, ({ path }) => ({ contents: shownCatalogue(path), loader: "json", watchFiles: [path] }));
  },
};
