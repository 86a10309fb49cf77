/** What would a note be called that is created from a query? Pure. */
import { OPERATORS } from "../i18n/operators";

const MAX_CHARACTERS = 100; // a title; longer ones are hardly read
const MAX_BYTES = 240; // of a file's name: 255 on most systems, with the extension and a number that a sync service may add

const FIELDS = OPERATORS.map(({ token }) => token).filter((token) => token.endsWith(":"));
/** Pieces of a query: a regular expression, a property, a phrase, a parenthesis, or anything up to white space. */
const PIECE = /-?\/(?:\\.|[^/\\\s]|[ ](?=[^/]*\/(?:\s|$)))+\/(?=\s|$)|-?\[[^\]]*\]|(-?[\w-]*:?)"([^"]*)"?|-?[()]|[^\s()]+/gu;
/** What some file system, Obsidian's links or both cannot have in a name. Control characters are among them. */
const FORBIDDEN = /[\\/:*?"<>|#^[\]\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** Names that Windows keeps for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/iu;

/** The name of the note that `query` asks for, without its operators; null for a query of operators alone. */
export function newNoteName(query: string): string | null {
  const words = [...query.matchAll(PIECE)].flatMap(([piece, field, phrase]) => wordsOf(piece, field, phrase));
  return fileNameOf(words.join(" "));
}

function wordsOf(piece: string, field: string | undefined, phrase: string | undefined): readonly string[] {
  if (piece === "OR" || piece === "AND" || /^-?[()]$/u.test(piece)) return [];
  if (phrase !== undefined) return field === "" ? [phrase] : [];
  const isFilter = piece.startsWith("-") || piece.startsWith("[") || /^\/.+\/$/u.test(piece);
  return isFilter || FIELDS.some((token) => piece.toLowerCase().startsWith(token)) ? [] : [piece];
}

/** `text` as a file can be called on every system; null when nothing is left of it. */
export function fileNameOf(text: string): string | null {
  const plain = text.normalize("NFC").replace(/\p{Cs}/gu, "").replace(FORBIDDEN, " ").replace(/\s+/gu, " ");
  const name = trimmed(shortened(trimmed(plain)));
  if (!/[\p{L}\p{N}\p{S}]/u.test(name)) return null;
  return DEVICE.test(name) ? `_${name}` : name;
}

/** Without leading dots, which hide a file, and without dots and spaces at the end, which Windows drops. */
function trimmed(name: string): string {
  return name.replace(/^[\s.]+|[\s.]+$/gu, "");
}

/** As many characters as fit, none of them cut in two. */
function shortened(name: string): string {
  const encoder = new TextEncoder();
  let bytes = 0;
  const kept = [...new Intl.Segmenter().segment(name)].slice(0, MAX_CHARACTERS).filter(({ segment }) => {
    bytes += encoder.encode(segment).length;
    return bytes <= MAX_BYTES;
  });
  return kept.map(({ segment }) => segment).join("");
}
