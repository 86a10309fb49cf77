/**
 * The page's end of the connection to the Node side.
 *
 * Calls are synchronous, because Node's are (`readFileSync`, `spawn().pid`): a synchronous XMLHttpRequest. What happens
 * later - a child's output, a file changed by another program - arrives on one EventSource.
 */
import { Buffer } from "buffer";

/** What the Node side says about itself when the page starts. */
export interface Hello {
  /** Absolute path of the vault folder. */
  readonly vault: string;
  readonly configDir: string;
  /** The environment the page's `process.env` shows. */
  readonly env: Readonly<Record<string, string>>;
  readonly platform: string;
  readonly pid: number;
  readonly homedir: string;
  readonly tmpdir: string;
  readonly fileCalls: readonly string[];
}

/** One event of a child process. */
export interface ChildEvent {
  readonly child: number;
  readonly stream?: "stdin" | "stdout" | "stderr";
  readonly event: string;
  readonly data?: unknown;
}

type Message = ChildEvent | { readonly changed: string };

/** A Node error as it travels: what Node puts on it besides the message. */
interface WireError {
  readonly message: string;
  readonly code?: string;
}

const page = crypto.randomUUID();
const childListeners = new Map<number, (event: ChildEvent) => void>();
const folderListeners = new Set<(path: string) => void>();

/** Milliseconds that the page has stood still for calls, which in Electron take none to speak of. */
export let waitedMs = 0;

/**
 * Run one call on the Node side and wait for it.
 *
 * @throws the Error that Node threw there, with its `code`, `errno`, `syscall` and `path`.
 */
export function call(name: string, body: object): unknown {
  const request = new XMLHttpRequest();
  request.open("POST", `/call/${name}?page=${page}`, false);
  const begun = performance.now();
  request.send(JSON.stringify(pack(body)));
  waitedMs += performance.now() - begun;
  if (request.status !== 200) throw new Error(`the bridge refused ${name} with ${request.status}`);
  const answer = JSON.parse(request.responseText) as { value: unknown } | { error: WireError };
  if ("error" in answer) throw Object.assign(new Error(answer.error.message), answer.error);
  return answer.value;
}

/** Hear the events of one child, from now on. */
export function onChildEvent(child: number, listener: (event: ChildEvent) => void): void {
  childListeners.set(child, listener);
}

/** Hear the vault-relative path of whatever changes in the vault folder. */
export function onVaultFolderChange(listener: (path: string) => void): void {
  folderListeners.add(listener);
}

/** Open the stream of events; resolves when none can be missed any more. */
export function openEvents(): Promise<void> {
  const events = new EventSource(`/events?page=${page}`);
  events.onmessage = (message: MessageEvent<string>) => deliver(JSON.parse(message.data) as Message);
  return new Promise((resolve) => (events.onopen = () => resolve()));
}

function deliver(message: Message): void {
  if ("changed" in message) folderListeners.forEach((listener) => listener(message.changed));
  else childListeners.get(message.child)?.(message);
}

/** Bytes anywhere in *value* as `{ $bytes: base64 }`, which the Node side makes a Buffer again. */
function pack(value: unknown): unknown {
  if (value instanceof ArrayBuffer) return pack(new Uint8Array(value));
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString("base64") };
  if (Array.isArray(value)) return value.map(pack);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, pack(inner)]));
}
