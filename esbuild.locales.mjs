/**
 * Packs the translations for `main.js`: the texts in the order of English's keys, as JSON, compressed, in base64.
 *
 * `translate.ts` unpacks the one language that is spoken. As plain JSON, three languages would be a third of the file.
 */
import { readFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

/** @typedef {Record<string, string | Record<string, string>>} Catalogue */

/**
 * @param {Catalogue} translation
 * @param {Catalogue} english
 */
export function packed(translation, english) {
  const texts = JSON.stringify(Object.keys(english).map((key) => translation[key]));
  const params = { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT };
  return brotliCompressSync(texts, { params }).toString("base64");
}

/** @param {string} path @returns {Catalogue} */
function read(path) {
  return /** @type {Catalogue} */ (JSON.parse(readFileSync(path, "utf8")));
}

/** @type {import("esbuild").Plugin} */
export const packedLocales = {
  name: "packed-locales",
  setup(build) {
    build.onLoad({ filter: /[\\/]locales[\\/]\w+\.json$/ }, ({ path }) => {
      const english = path.replace(/\w+\.json$/, "en.json");
      if (path === english) return null;
      return { contents: packed(read(path), read(english)), loader: "text", watchFiles: [path, english] };
    });
  },
};
