/** Requests over a connection: ids, time-outs, cancelling, and what the sidecar says unasked. */
import { type Cancel, type Clock } from "../clock";
import { type Remark } from "../journal";
import { type Incoming, type ServerNotification, encodeNotification, encodeRequest } from "../protocol/codec";
import { type Methods } from "../protocol/messages";
import { Signal } from "../signal";
import { type Connection } from "./connection";
import { type Failure, type Reply, failureOf } from "./failure";

const TIMEOUT_MS = 10_000; // the sidecar's own deadline for a query is 2 s; this catches one that hangs

export type Method = keyof Methods;
export type Params<M extends Method> = Methods[M]["params"];
export type Result<M extends Method> = Methods[M]["result"];

/** A request under way. */
export interface Pending<T> {
  /** For `supersedes` of a later request. */
  readonly id: number;
  /** Never rejects; settles once. */
  readonly reply: Promise<Reply<T>>;
  /** Tells the sidecar to stop, and settles as cancelled at once. Harmless when it has settled. */
  cancel(): void;
  /** Settles as cancelled without telling, because the next request says so itself. */
  abandon(): void;
}

/** What most of the plugin sees of the client. */
export interface Asks {
  request<M extends Method>(method: M, params: Params<M>, timeoutMs?: number): Pending<Result<M>>;
}

type Settle = (reply: Reply<unknown>) => void;

export class Client implements Asks {
  readonly notified = new Signal<ServerNotification>();
  private readonly waiting = new Map<number, Settle>();
  private lastId = 0;

  constructor(
    private readonly connection: Connection,
    private readonly clock: Clock,
    private readonly remark: Remark,
  ) {
    connection.received.listen((message) => {
      this.receive(message);
    });
    connection.changed.listen((state) => {
      if (state.kind !== "open") this.failAll({ kind: "disconnected" });
    });
  }

  request<M extends Method>(method: M, params: Params<M>, timeoutMs = TIMEOUT_MS): Pending<Result<M>> {
    const id = (this.lastId += 1);
    if (!this.connection.send(encodeRequest(id, method, params))) return unsent(id);

    let cancelTimer: Cancel = () => undefined;
    const reply = new Promise<Reply<Result<M>>>((resolve) => {
      this.waiting.set(id, (settled) => {
        cancelTimer();
        resolve(settled as Reply<Result<M>>); // the method's own result type, as the wire defines it
      });
    });
    const tell = (): void => {
      if (this.waiting.has(id)) this.connection.send(encodeNotification("$/cancel", { id }));
    };
    cancelTimer = this.clock.after(timeoutMs, () => {
      tell();
      this.settle(id, { ok: false, failure: { kind: "timed-out", afterMs: timeoutMs } });
    });
    const abandon = (): void => {
      this.settle(id, { ok: false, failure: { kind: "cancelled" } });
    };
    const cancel = (): void => {
      tell();
      abandon();
    };
    return { id, reply, cancel, abandon };
  }

  /** The same, for callers that only want the answer. */
  ask<M extends Method>(method: M, params: Params<M>, timeoutMs = TIMEOUT_MS): Promise<Reply<Result<M>>> {
    return this.request(method, params, timeoutMs).reply;
  }

  private receive(message: Incoming): void {
    switch (message.kind) {
      case "result":
        this.settle(message.id, { ok: true, value: message.result });
        return;
      case "error":
        if (message.id === null) this.remark(`An error that names no request: ${message.error.code} ${message.error.reason}`);
        else this.settle(message.id, { ok: false, failure: failureOf(message.error) });
        return; // without an id it is not guessed whose it is: that request times out
      case "notification":
        this.notified.emit(message.notification);
        return;
      case "unknown":
      case "unreadable":
        return; // from a newer sidecar; a request that it was meant to answer times out
    }
  }

  /** Nobody waits any more for an id that is not known: answered late, or already given up. */
  private settle(id: number, reply: Reply<unknown>): void {
    const settle = this.waiting.get(id);
    this.waiting.delete(id);
    settle?.(reply);
  }

  private failAll(failure: Failure): void {
    for (const id of [...this.waiting.keys()]) this.settle(id, { ok: false, failure });
  }
}

function unsent<T>(id: number): Pending<T> {
  const nothing = (): void => undefined;
  return { id, reply: Promise.resolve({ ok: false, failure: { kind: "not-connected" } }), cancel: nothing, abandon: nothing };
}
