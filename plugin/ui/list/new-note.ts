/** Creates notes from a query: an empty one with its name, or one with the search as a live block. */
import { type App, type Editor, MarkdownView, normalizePath, Notice } from "obsidian";
import { OPERATORS } from "../../i18n/operators";
import { t } from "../../i18n/translate";
import { type Mode } from "../../protocol/messages";
import { type Answer } from "../../search/answer";
import { blockText } from "../../search/block-spec";

/** The name of the note that the query could become; null where there is one of that name, for a question, operators alone, and where a filter was in the way. */
export function offeredNote(app: App, { query, unmet, isQuestion }: Answer): string | null {
  const name = unmet !== null || isQuestion ? null : newNoteName(query);
  return name !== null && name.split(" ").length <= MAX_WORDS && app.metadataCache.getFirstLinkpathDest(name, "") === null ? name : null;
}

export async function createNote(app: App, name: string): Promise<void> {
  const sourcePath = app.workspace.getActiveFile()?.path ?? "";
  try {
    const folder = app.fileManager.getNewFileParent(sourcePath, `${name}.md`);
    const file = await app.vault.create(normalizePath(`${folder.path}/${name}.md`), "");
    const leaf = app.workspace.getLeaf(false);
    await leaf.openFile(file, { active: true, state: { mode: "source" } });
    if (leaf.view instanceof MarkdownView) leaf.view.editor.focus();
  } catch (error) {
    new Notice(t("write.notCreated", { name, reason: error instanceof Error ? error.message : String(error) }));
  }
}

const MAX_WORDS = 5; // of a name that is offered
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
export function fileNameOf(text: string, most = MAX_CHARACTERS): string | null {
  const plain = text.normalize("NFC").replace(/\p{Cs}/gu, "").replace(FORBIDDEN, " ").replace(/\s+/gu, " ");
  const name = trimmed(shortened(trimmed(plain), most));
  if (!/[\p{L}\p{N}\p{S}]/u.test(name)) return null;
  return DEVICE.test(name) ? `_${name}` : name;
}

/** Without leading dots, which hide a file, and without dots and spaces at the end, which Windows drops. */
function trimmed(name: string): string {
  return name.replace(/^[\s.]+|[\s.]+$/gu, "");
}

/** As many characters as fit, none of them cut in two. */
function shortened(name: string, most: number): string {
  const encoder = new TextEncoder();
  let bytes = 0;
  const kept = [...new Intl.Segmenter().segment(name)].slice(0, most).filter(({ segment }) => {
    bytes += encoder.encode(segment).length;
    return bytes <= MAX_BYTES;
  });
  return kept.map(({ segment }) => segment).join("");
}

const MAX_QUERY = 60; // characters of a query in the name of its note

/** Puts a block in place of the selection, on lines of its own. */
export function insertBlock(editor: Editor, block: string): void {
  const { line, ch } = editor.getCursor("from");
  const isInLine = editor.getLine(line).slice(0, ch).trim() !== "";
  editor.replaceSelection((isInLine ? "\n" : "") + block);
}

/** Creates and opens a note with the search as a live block. */
export async function newSearchNote(app: App, query: string, mode: Mode): Promise<void> {
  const { vault, workspace, fileManager } = app;
  const folder = fileManager.getNewFileParent(workspace.getActiveFile()?.path ?? "");
  const name = t("block.noteName", { query: fileNameOf(query, MAX_QUERY) ?? "" }).trim();
  const file = await vault.create(freePath(app, normalizePath(`${folder.path}/${name}`)), blockText(query, mode));
  await workspace.getLeaf("tab").openFile(file, { active: true });
}

function freePath(app: App, path: string): string {
  for (let at = 0; ; at += 1) {
    const candidate = `${path}${at === 0 ? "" : ` ${at}`}.md`;
    if (!app.vault.getAbstractFileByPath(candidate)) return candidate;
  }
}
