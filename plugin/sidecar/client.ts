/** Requests over a connection: ids, time-outs, cancellation, and the sidecar's notifications. */
import { type Cancel, type Clock } from "../clock";
import { type WriteLog } from "../diagnostic-log";
import { type Incoming, type ServerNotification, encodeNotification, encodeRequest } from "../protocol/codec";
import { type Methods } from "../protocol/messages";
import { Emitter } from "../emitter";
import { type Connection } from "./connection";
import { type Failure, type Reply, failureOf } from "./failure";

const TIMEOUT_MS = 10_000; // the sidecar's own deadline for a query is 2 s; this one catches a sidecar that hangs

export type Method = keyof Methods;
export type Params<M extends Method> = Methods[M]["params"];
export type Result<M extends Method> = Methods[M]["result"];

/** A request in flight. */
export interface Pending<T> {
  /** The value for `supersedes` in a later request. */
  readonly id: number;
  /** Settles once and never rejects. */
  readonly reply: Promise<Reply<T>>;
  /** Cancels the request in the sidecar and settles as cancelled at once; does nothing once settled. */
  cancel(): void;
  /** Settles as cancelled without a message, because the next request cancels this one by `supersedes`. */
  abandon(): void;
}

/** The part of the client that most of the plugin uses. */
export interface Requester {
  request<M extends Method>(method: M, params: Params<M>, timeoutMs?: number): Pending<Result<M>>;
}

type Settle = (reply: Reply<unknown>) => void;

export class RpcClient implements Requester {
  readonly notifications = new Emitter<ServerNotification>();
  readonly #waiting = new Map<number, Settle>();
  #lastId = 0;

  constructor(
    private readonly connection: Connection,
    private readonly clock: Clock,
    private readonly log: WriteLog,
  ) {
    connection.received.listen((message) => {
      this.#receive(message);
    });
    connection.changed.listen((state) => {
      if (state.kind !== "open") this.#failAll({ kind: "disconnected" });
    });
  }

  request<M extends Method>(method: M, params: Params<M>, timeoutMs = TIMEOUT_MS): Pending<Result<M>> {
    const id = (this.#lastId += 1);
    if (!this.connection.send(encodeRequest(id, method, params))) return unsentRequest(id);

    let cancelTimer: Cancel = () => undefined;
    const reply = new Promise<Reply<Result<M>>>((resolve) => {
      this.#waiting.set(id, (settled) => {
        cancelTimer();
        resolve(settled as Reply<Result<M>>); // the result type of the method, as the protocol defines it
      });
    });
    const sendCancel = (): void => {
      if (this.#waiting.has(id)) this.connection.send(encodeNotification("$/cancel", { id }));
    };
    cancelTimer = this.clock.after(timeoutMs, () => {
      sendCancel();
      this.#settle(id, { ok: false, failure: { kind: "timed-out", afterMs: timeoutMs } });
    });
    const abandon = (): void => {
      this.#settle(id, { ok: false, failure: { kind: "cancelled" } });
    };
    const cancel = (): void => {
      sendCancel();
      abandon();
    };
    return { id, reply, cancel, abandon };
  }

  /** Sends a request that is never cancelled and returns its reply. */
  call<M extends Method>(method: M, params: Params<M>, timeoutMs = TIMEOUT_MS): Promise<Reply<Result<M>>> {
    return this.request(method, params, timeoutMs).reply;
  }

  #receive(message: Incoming): void {
    switch (message.kind) {
      case "result":
        this.#settle(message.id, { ok: true, value: message.result });
        return;
      case "error":
        if (message.id === null) this.log(`Error without a request id: ${message.error.code} ${message.error.reason}`);
        else this.#settle(message.id, { ok: false, failure: failureOf(message.error) });
        return; // an error without an id is not attributed to a request: that one times out
      case "notification":
        this.notifications.emit(message.notification);
        return;
      case "unknown":
      case "unreadable":
        return; // from a newer sidecar; if it was a response, its request times out
    }
  }

  /** Settles a request; an unknown id belongs to one that was answered, cancelled or timed out before. */
  #settle(id: number, reply: Reply<unknown>): void {
    const settle = this.#waiting.get(id);
    this.#waiting.delete(id);
    settle?.(reply);
  }

  #failAll(failure: Failure): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id, { ok: false, failure });
  }
}

function unsentRequest<T>(id: number): Pending<T> {
  const nothing = (): void => undefined;
  return { id, reply: Promise.resolve({ ok: false, failure: { kind: "not-connected" } }), cancel: nothing, abandon: nothing };
}
