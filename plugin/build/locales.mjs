/**
 * Packs the catalogues for `main.js`: as JSON, compressed, in base64. A translation is a list of its texts in the order of
 * English's keys.
 *
 * `translate.ts` unpacks English and the language that is spoken, within a millisecond. As plain JSON, the four would be a
 * third of the file.
 */
import { readFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

/** @typedef {Record<string, string | Record<string, string>>} Catalogue */

/**
 * @param {Catalogue} english
 * @param {Catalogue} [translation]
 */
export function packed(english, translation) {
  const texts = translation ? Object.keys(english).map((key) => translation[key]) : english;
  const params = { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT };
  return brotliCompressSync(JSON.stringify(texts), { params }).toString("base64");
}

/** Groups of sentences that only the command line, the MCP server and hooks show. */
const NOT_OF_PLUGIN = /^(abstained|incomplete|mcp)\./;

/** @param {string} path @returns {Catalogue} */
function read(path) {
  const catalogue = /** @type {Catalogue} */ (JSON.parse(readFileSync(path, "utf8")));
  return Object.fromEntries(Object.entries(catalogue).filter(([key]) => !NOT_OF_PLUGIN.test(key)));
}

/** @type {import("esbuild").Plugin} */
export const packedLocales = {
  name: "packed-locales",
  setup(build) {
    build.onLoad({ filter: /[\\/]locales[\\/]\w+\.json$/ }, ({ path }) => {
      const english = path.replace(/\w+\.json$/, "en.json");
      return { contents: packed(read(english), path === english ? undefined : read(path)), loader: "text", watchFiles: [path, english] };
    });
  },
};
