/** Which part of a change the wire can carry. Pure. */
import { isWellFormed } from "../protocol/codec";
import { type Change } from "../protocol/messages";

const PATH_CHARS = 4_096; // of `Change.path`; counted in characters, as the sidecar does

/** The change itself, or what it comes to where one of its paths cannot be told, or null where nothing is left. */
export function tellable(change: Change): Change | null {
  const { kind, path, oldPath } = change;
  if (kind !== "renamed" || typeof oldPath !== "string") return isTellable(path) ? change : null;
  if (isTellable(path)) return isTellable(oldPath) ? change : { kind: "created", path };
  return isTellable(oldPath) ? { kind: "deleted", path: oldPath } : null;
}

function isTellable(path: string): boolean {
  if (path.length > 2 * PATH_CHARS || !isWellFormed(path)) return false;
  return path.length <= PATH_CHARS || Array.from(path).length <= PATH_CHARS;
}
