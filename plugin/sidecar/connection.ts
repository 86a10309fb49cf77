/**
 * One WebSocket to the sidecar: handshake, frames, and reconnection.
 *
 * The endpoint is read again before each attempt, because a restarted sidecar has another port and token. The function
 * that opens a socket is an argument: Obsidian's window has one, tests use another.
 */
import { type Cancel, type Clock } from "../clock";
import { ErrorCode, type Incoming, decode, encodeRequest } from "../protocol/codec";
import { type Endpoint } from "../protocol/discovery";
import { type InitializeResult, PROTOCOL_VERSION } from "../protocol/messages";
import { Emitter } from "../emitter";

const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 10_000;
const HANDSHAKE_DEADLINE_MS = 5_000; // the sidecar gives up on a silent client after 3 s
const HANDSHAKE_ID = 0; // the client counts from 1

export type ConnectionState =
  | { readonly kind: "closed" }
  | { readonly kind: "connecting"; readonly attempt: number }
  | { readonly kind: "open"; readonly server: InitializeResult }
  /** Not connected; the next attempt is scheduled. `attempt` counts consecutive failures. */
  | { readonly kind: "waiting"; readonly attempt: number; readonly delayMs: number }
  /** The sidecar speaks another protocol version: a retry cannot help. */
  | { readonly kind: "incompatible"; readonly protocol: number | null; readonly version: string | null };

/** The part of `WebSocket` that is used. */
export type Socket = Pick<WebSocket, "send" | "close" | "onopen" | "onmessage" | "onclose">;

export interface ConnectionParts {
  readonly openSocket: (url: string) => Socket;
  readonly clock: Clock;
  readonly clientName: string;
  readonly clientVersion: string;
}

export class Connection {
  readonly changed = new Emitter<ConnectionState>();
  readonly received = new Emitter<Incoming>();
  #current: ConnectionState = { kind: "closed" };
  #socket: Socket | null = null;
  #cancelTimer: Cancel = () => undefined;
  /** Incremented by every `open` and `close`, so that pending work of an earlier generation is ignored. */
  #generation = 0;

  constructor(private readonly parts: ConnectionParts) {}

  get state(): ConnectionState {
    return this.#current;
  }

  /** Connects, and reconnects until `close`. `endpoint` resolves to null while no sidecar is running. */
  open(endpoint: () => Promise<Endpoint | null>): void {
    this.#drop();
    this.#generation += 1;
    void this.#attempt(endpoint, 1, this.#generation);
  }

  close(): void {
    this.#drop();
    this.#generation += 1;
    if (this.#current.kind !== "closed") this.#setState({ kind: "closed" });
  }

  /** Sends a frame; false when the connection is not open. */
  send(frame: string): boolean {
    if (this.#current.kind !== "open" || !this.#socket) return false;
    this.#socket.send(frame);
    return true;
  }

  async #attempt(endpoint: () => Promise<Endpoint | null>, attempt: number, generation: number): Promise<void> {
    this.#setState({ kind: "connecting", attempt });
    const found = await endpoint();
    if (generation !== this.#generation) return;
    const retry = (failures: number): void => {
      this.#drop();
      const delayMs = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LAST_RETRY_MS);
      this.#setState({ kind: "waiting", attempt: failures, delayMs });
      if (generation !== this.#generation) return; // a listener closed or reopened the connection
      this.#cancelTimer = this.parts.clock.after(delayMs, () => void this.#attempt(endpoint, failures + 1, generation));
    };
    if (found) this.#handshake(found, () => { retry(this.#current.kind === "open" ? 1 : attempt); });
    else retry(attempt);
  }

  #handshake({ port, token }: Endpoint, lost: () => void): void {
    // The literal address: a name could resolve to another host, and the first message carries the token.
    const socket = this.parts.openSocket(`ws://127.0.0.1:${port}/`);
    this.#socket = socket;
    this.#cancelTimer = this.parts.clock.after(HANDSHAKE_DEADLINE_MS, lost);
    const isCurrent = (): boolean => this.#socket === socket;
    socket.onopen = () => {
      const client = { name: this.parts.clientName, version: this.parts.clientVersion };
      socket.send(encodeRequest(HANDSHAKE_ID, "initialize", { token, protocol: PROTOCOL_VERSION, client }));
    };
    socket.onmessage = (event: { readonly data: unknown }) => {
      if (!isCurrent() || typeof event.data !== "string") return;
      const message = decode(event.data);
      if (this.#current.kind === "open") this.received.emit(message);
      else this.#onHandshakeReply(message, lost);
    };
    // "error" needs no listener: a "close" event follows every error.
    socket.onclose = () => {
      if (isCurrent()) lost();
    };
  }

  /** Handles the reply to `initialize`. A rejected token is retried: the sidecar may have restarted since it was read. */
  #onHandshakeReply(message: Incoming, lost: () => void): void {
    if (message.kind === "result" && message.id === HANDSHAKE_ID) {
      const server = message.result as InitializeResult;
      if (server.protocol !== PROTOCOL_VERSION) {
        this.#stopAsIncompatible(server.protocol, server.version);
        return;
      }
      this.#cancelTimer();
      this.#setState({ kind: "open", server });
    } else if (message.kind === "error" && message.error.code === ErrorCode.protocolMismatch) {
      this.#stopAsIncompatible(null, null);
    } else if (message.kind === "error") {
      lost();
    }
  }

  #stopAsIncompatible(protocol: number | null, version: string | null): void {
    this.#drop();
    this.#generation += 1;
    this.#setState({ kind: "incompatible", protocol, version });
  }

  /** Closes the socket, after forgetting it so that its own "close" event is ignored. */
  #drop(): void {
    this.#cancelTimer();
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #setState(state: ConnectionState): void {
    this.#current = state;
    this.changed.emit(state);
  }
}
