/**
 * One WebSocket to the sidecar: handshake, hand-over of frames, and coming back when it drops.
 *
 * Before each attempt the endpoint is asked for anew, because a restarted sidecar has another port and token. The socket
 * itself is handed in: Obsidian's window has one, tests use another, and a pipe could take its place.
 */
import { type Cancel, type Clock } from "../clock";
import { ErrorCode, type Incoming, decode, encodeRequest } from "../protocol/codec";
import { type Endpoint } from "../protocol/discovery";
import { type InitializeResult, PROTOCOL_VERSION } from "../protocol/messages";
import { Signal } from "../signal";

const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 10_000;
const HANDSHAKE_DEADLINE_MS = 5_000; // the sidecar gives up on a silent client after 3 s
const HANDSHAKE_ID = 0; // the client counts from 1

export type ConnectionState =
  | { readonly kind: "closed" }
  | { readonly kind: "connecting"; readonly attempt: number }
  | { readonly kind: "open"; readonly hello: InitializeResult }
  /** Not connected; tries again by itself. `attempt` counts failures in a row. */
  | { readonly kind: "waiting"; readonly attempt: number; readonly delayMs: number }
  /** The other side speaks another protocol: trying again cannot help. */
  | { readonly kind: "incompatible"; readonly protocol: number | null; readonly version: string | null };

/** The part of the window's WebSocket that is used. */
export type Socket = Pick<WebSocket, "send" | "close" | "onopen" | "onmessage" | "onclose">;

export interface ConnectionParts {
  readonly openSocket: (url: string) => Socket;
  readonly clock: Clock;
  readonly clientName: string;
  readonly clientVersion: string;
}

export class Connection {
  readonly changed = new Signal<ConnectionState>();
  readonly received = new Signal<Incoming>();
  private current: ConnectionState = { kind: "closed" };
  private socket: Socket | null = null;
  private cancelTimer: Cancel = () => undefined;
  /** Rises at every `open` and `close`, so that what an earlier round still had under way is recognised. */
  private round = 0;

  constructor(private readonly parts: ConnectionParts) {}

  get state(): ConnectionState {
    return this.current;
  }

  /** Connects, and keeps connected until `close`. `endpoint` gives null where there is nobody to connect to. */
  open(endpoint: () => Promise<Endpoint | null>): void {
    this.drop();
    this.round += 1;
    void this.attempt(endpoint, 1, this.round);
  }

  close(): void {
    this.drop();
    this.round += 1;
    if (this.current.kind !== "closed") this.become({ kind: "closed" });
  }

  /** Whether the frame was handed to an open connection. */
  send(frame: string): boolean {
    if (this.current.kind !== "open" || !this.socket) return false;
    this.socket.send(frame);
    return true;
  }

  private async attempt(endpoint: () => Promise<Endpoint | null>, attempt: number, round: number): Promise<void> {
    this.become({ kind: "connecting", attempt });
    const found = await endpoint();
    if (round !== this.round) return;
    const retry = (failures: number): void => {
      this.drop();
      const delayMs = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LAST_RETRY_MS);
      this.become({ kind: "waiting", attempt: failures, delayMs });
      if (round !== this.round) return; // a listener closed or reopened us
      this.cancelTimer = this.parts.clock.after(delayMs, () => void this.attempt(endpoint, failures + 1, round));
    };
    if (found) this.handshake(found, () => { retry(this.current.kind === "open" ? 1 : attempt); });
    else retry(attempt);
  }

  private handshake({ port, token }: Endpoint, lost: () => void): void {
    // The literal address: a name could be resolved elsewhere, and the token goes with the first message.
    const socket = this.parts.openSocket(`ws://127.0.0.1:${port}/`);
    this.socket = socket;
    this.cancelTimer = this.parts.clock.after(HANDSHAKE_DEADLINE_MS, lost);
    const isCurrent = (): boolean => this.socket === socket;
    socket.onopen = () => {
      const client = { name: this.parts.clientName, version: this.parts.clientVersion };
      socket.send(encodeRequest(HANDSHAKE_ID, "initialize", { token, protocol: PROTOCOL_VERSION, client }));
    };
    socket.onmessage = (event: { readonly data: unknown }) => {
      if (!isCurrent() || typeof event.data !== "string") return;
      const message = decode(event.data);
      if (this.current.kind === "open") this.received.emit(message);
      else this.welcome(message, lost);
    };
    // "error" is not listened to: a close follows every error, and says no less.
    socket.onclose = () => {
      if (isCurrent()) lost();
    };
  }

  /** Judges the answer to `initialize`. A wrong token is no end: the sidecar may have restarted since it was read. */
  private welcome(message: Incoming, lost: () => void): void {
    if (message.kind === "result" && message.id === HANDSHAKE_ID) {
      const hello = message.result as InitializeResult;
      if (hello.protocol !== PROTOCOL_VERSION) {
        this.refuse(hello.protocol, hello.version);
        return;
      }
      this.cancelTimer();
      this.become({ kind: "open", hello });
    } else if (message.kind === "error" && message.error.code === ErrorCode.protocolMismatch) {
      this.refuse(null, null);
    } else if (message.kind === "error") {
      lost();
    }
  }

  private refuse(protocol: number | null, version: string | null): void {
    this.drop();
    this.round += 1;
    this.become({ kind: "incompatible", protocol, version });
  }

  /** Forgets the socket before closing it, so that its own "close" finds nobody. */
  private drop(): void {
    this.cancelTimer();
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  private become(state: ConnectionState): void {
    this.current = state;
    this.changed.emit(state);
  }
}
