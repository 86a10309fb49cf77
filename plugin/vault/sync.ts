/**
 * Reports vault changes to the sidecar: coalesced, in order, and queued while it is disconnected.
 *
 * One batch is in flight at a time, because a second one could overtake it. Nothing beyond this queue is replayed after a
 * restart: a starting sidecar compares its index with the folder itself.
 */
import { type Cancel, type Clock } from "../clock";
import { type WriteLog } from "../diagnostic-log";
import { encodableChange } from "../protocol/codec";
import { type Change } from "../protocol/messages";
import { type Requester } from "../sidecar/client";
import { ChangeQueue } from "./changes";

const DEBOUNCE_MS = 80; // the events of a folder's rename follow each other within a few milliseconds
const MAX_WAIT_MS = 400; // in a continuous stream of events; leaves more than half of the promised second to the engine
const RETRY_MS = 1_000;
const BATCH_LIMIT = 5_000; // the limit of `vault/changed`
const TIMEOUT_MS = 30_000; // the sidecar only queues the changes, but a batch of 5,000 may meet a busy disk

/** Errors caused by the changes themselves, so that a retry would fail again; others, such as `busy`, are transient. */
const PERMANENT_REASONS: readonly string[] = ["invalid-params", "invalid-request", "bad-request", "internal"];

export class VaultSync {
  readonly #queue = new ChangeQueue();
  #isConnected = false;
  #isSending = false;
  /** When the oldest queued change arrived; null when the queue is empty. */
  #waitingSince: number | null = null;
  #cancelTimer: Cancel = () => undefined;

  constructor(
    private readonly client: Requester,
    private readonly clock: Clock,
    private readonly log: WriteLog,
  ) {}

  push(change: Change): void {
    const encodable = encodableChange(change);
    if (encodable !== change) this.log(`Path cannot be encoded: ${change.kind} reported as ${encodable?.kind ?? "nothing"}`);
    if (!encodable) return;
    this.#queue.add(encodable);
    this.#waitingSince ??= this.clock.now();
    const patience = this.#waitingSince + MAX_WAIT_MS - this.clock.now();
    this.#sendIn(Math.max(0, Math.min(DEBOUNCE_MS, patience)));
  }

  setConnected(isConnected: boolean): void {
    this.#isConnected = isConnected;
    if (isConnected) this.#sendIn(0);
  }

  stop(): void {
    this.#isConnected = false;
    this.#cancelTimer();
  }

  #sendIn(delayMs: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.clock.after(delayMs, () => void this.#send());
  }

  async #send(): Promise<void> {
    if (!this.#isConnected || this.#isSending || this.#queue.isEmpty) return;
    this.#isSending = true;
    this.#waitingSince = null;
    const left = await this.#deliver(this.#queue.takeBatch(BATCH_LIMIT));
    this.#isSending = false;
    if (left.length > 0) this.#queue.putBack(left);
    this.#sendRest(left.length > 0 ? RETRY_MS : 0);
  }

  /**
   * Sends `changes` and returns those that did not arrive, or may not have. A rejected batch is bisected, in order, until
   * the rejected change is alone and is dropped: one invalid change must not block all others.
   */
  async #deliver(changes: readonly Change[]): Promise<readonly Change[]> {
    if (!this.#isConnected) return changes;
    const reply = await this.client.request("vault/changed", { changes }, TIMEOUT_MS).reply;
    if (reply.ok) return [];
    const { failure } = reply;
    if (failure.kind !== "refused" || !PERMANENT_REASONS.includes(failure.reason)) return changes;
    const [first] = changes;
    if (first && changes.length === 1) {
      this.log(`Dropped a change that the engine rejected: ${first.kind}, ${failure.reason}`);
      return [];
    }
    const middle = Math.ceil(changes.length / 2);
    const left = await this.#deliver(changes.slice(0, middle));
    const rest = changes.slice(middle);
    return left.length > 0 ? [...left, ...rest] : this.#deliver(rest);
  }

  #sendRest(delayMs: number): void {
    if (this.#isConnected && !this.#queue.isEmpty) this.#sendIn(delayMs);
  }
}
