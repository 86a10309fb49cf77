/** A client for places that may ask all at once: at most so many of their requests are on their way, the others wait in line. */
import { type Method, type Params, type Pending, type Requester, type Result } from "../sidecar/client";
import { type Reply } from "../sidecar/failure";

export class BoundedRequester implements Requester {
  #inFlight = 0;
  readonly #waiting = new Set<() => void>();

  constructor(
    private readonly client: Requester,
    private readonly most: number,
  ) {}

  request<M extends Method>(method: M, params: Params<M>, timeoutMs?: number): Pending<Result<M>> {
    let sent: Pending<Result<M>> | null = null;
    let settle: (reply: Reply<Result<M>>) => void = () => undefined;
    const reply = new Promise<Reply<Result<M>>>((resolve) => { settle = resolve; });
    const send = (): void => {
      this.#inFlight += 1;
      sent = this.client.request(method, params, timeoutMs);
      void sent.reply.then((answer) => {
        this.#inFlight -= 1;
        settle(answer);
        this.#sendNext();
      });
    };
    const withdraw = (): void => {
      this.#waiting.delete(send);
      settle({ ok: false, failure: { kind: "cancelled" } });
    };
    this.#waiting.add(send);
    this.#sendNext();
    return {
      get id() { return sent?.id ?? 0; }, // the client counts from 1: nothing is superseded by a request that was not sent
      reply,
      cancel: () => { if (sent) sent.cancel(); else withdraw(); },
      abandon: () => { if (sent) sent.abandon(); else withdraw(); },
    };
  }

  #sendNext(): void {
    const [next] = this.#waiting;
    if (!next || this.#inFlight >= this.most) return;
    this.#waiting.delete(next);
    next();
  }
}
