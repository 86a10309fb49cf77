/** What is the same to a person who searches? Text without case, accents and width. Pure. */

const ACCENTS = /[\u0300-\u036f]/gu; // of Latin, Greek and Cyrillic; the voicing marks of kana and the vowels of other scripts stay
const SPELLED: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ı: "i" };
const LETTERS = new RegExp(`[${Object.keys(SPELLED).join("")}]`, "gu");
const IS_PLAIN = /^[ -~]*$/;

export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (IS_PLAIN.test(lower)) return lower;
  return lower.normalize("NFKD").replace(ACCENTS, "").replace(LETTERS, (letter) => SPELLED[letter] ?? letter).normalize("NFC");
}

export interface FoldedText {
  readonly text: string;
  /** The offset in the text as it was written, for each offset in `text` and for its end. */
  readonly origins: readonly number[];
}

/** As `fold`, with the way back. A letter and its combining marks are folded together. */
export function foldWithOrigins(text: string): FoldedText {
  let folded = "";
  const origins: number[] = [];
  for (const match of text.matchAll(/\P{M}?\p{M}*/gsu)) {
    const part = fold(match[0]);
    folded += part;
    for (let at = 0; at < part.length; at += 1) origins.push(match.index);
  }
  return { text: folded, origins: [...origins, text.length] };
}
