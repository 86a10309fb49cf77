/** A client for places that may ask all at once: at most so many of their requests are on their way, the others wait in line. */
import { type Method, type Params, type Pending, type Requester, type Result } from "../sidecar/client";
import { type Reply } from "../sidecar/failure";

export function boundedRequester(client: Requester, most: number): Requester {
  const waiting = new Set<() => void>();
  let inFlight = 0;
  const sendNext = (): void => {
    const [next] = waiting;
    if (!next || inFlight >= most) return;
    waiting.delete(next);
    next();
  };
  const request = <M extends Method>(method: M, params: Params<M>, timeoutMs?: number): Pending<Result<M>> => {
    let sent: Pending<Result<M>> | null = null;
    let settle: (reply: Reply<Result<M>>) => void = () => undefined;
    const reply = new Promise<Reply<Result<M>>>((resolve) => { settle = resolve; });
    const send = (): void => {
      inFlight += 1;
      sent = client.request(method, params, timeoutMs);
      void sent.reply.then((answer) => {
        inFlight -= 1;
        settle(answer);
        sendNext();
      });
    };
    const withdraw = (): void => {
      waiting.delete(send);
      settle({ ok: false, failure: { kind: "cancelled" } });
    };
    waiting.add(send);
    sendNext();
    return {
      get id() { return sent?.id ?? 0; }, // the client counts from 1: nothing is superseded by a request that was not sent
      reply,
      cancel: () => { if (sent) sent.cancel(); else withdraw(); },
      abandon: () => { if (sent) sent.abandon(); else withdraw(); },
    };
  };
  return { request };
}
