/** What does a text say that the build has packed? */
import { brotliDecompressSync } from "zlib";

/** The text in base64 and compressed, of which `main.js` has more than could stand in it plainly. */
export function unpackText(packed: string): string {
  return brotliDecompressSync(Buffer.from(packed, "base64")).toString();
}
