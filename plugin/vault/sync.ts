/**
 * Tells the sidecar what changed: bursts gathered, order kept, nothing lost while it is away.
 *
 * Only one batch is under way at a time, or a slow one would be overtaken by its successor. There is no replay after a
 * restart beyond this queue, because a starting sidecar compares its index with the folder itself.
 */
import { type Cancel, type Clock } from "../clock";
import { type Remark } from "../journal";
import { type Change } from "../protocol/messages";
import { type Asks } from "../sidecar/client";
import { ChangeQueue } from "./changes";
import { tellable } from "./tellable";

const QUIET_MS = 80; // a folder's rename fires its events within a few milliseconds
const MAX_WAIT_MS = 400; // in a long stream of events; leaves more than half of the promised second to the engine
const RETRY_MS = 1_000;
const BATCH_LIMIT = 5_000; // of `vault/changed`
const TIMEOUT_MS = 30_000; // only queueing is waited for, but a batch of 5,000 may meet a busy disk

/** Refusals that lie in what was told, so that telling it again ends the same; others (`busy`, say) pass. */
const LASTING_REASONS: readonly string[] = ["invalid-params", "invalid-request", "bad-request", "internal"];

export class VaultSync {
  private readonly queue = new ChangeQueue();
  private isConnected = false;
  private isSending = false;
  /** When the oldest waiting change came; null when none waits. */
  private waitingSince: number | null = null;
  private cancelTimer: Cancel = () => undefined;

  constructor(
    private readonly client: Asks,
    private readonly clock: Clock,
    private readonly remark: Remark,
  ) {}

  push(change: Change): void {
    const told = tellable(change);
    if (told !== change) this.remark(`A path that the engine cannot take: ${change.kind} told as ${told?.kind ?? "nothing"}`);
    if (!told) return;
    this.queue.add(told);
    this.waitingSince ??= this.clock.now();
    const patience = this.waitingSince + MAX_WAIT_MS - this.clock.now();
    this.sendIn(Math.max(0, Math.min(QUIET_MS, patience)));
  }

  setConnected(isConnected: boolean): void {
    this.isConnected = isConnected;
    if (isConnected) this.sendIn(0);
  }

  stop(): void {
    this.isConnected = false;
    this.cancelTimer();
  }

  private sendIn(delayMs: number): void {
    this.cancelTimer();
    this.cancelTimer = this.clock.after(delayMs, () => void this.send());
  }

  private async send(): Promise<void> {
    if (!this.isConnected || this.isSending || this.queue.isEmpty) return;
    this.isSending = true;
    this.waitingSince = null;
    const left = await this.deliver(this.queue.take(BATCH_LIMIT));
    this.isSending = false;
    if (left.length > 0) this.queue.putBack(left);
    this.sendRest(left.length > 0 ? RETRY_MS : 0);
  }

  /**
   * Tells the sidecar, and gives back what did not arrive, or may not have. A refused batch is told in halves, in order,
   * until what was refused stands alone and is dropped: one bad change must not hold up all others.
   */
  private async deliver(changes: readonly Change[]): Promise<readonly Change[]> {
    if (!this.isConnected) return changes;
    const reply = await this.client.request("vault/changed", { changes }, TIMEOUT_MS).reply;
    if (reply.ok) return [];
    const { failure } = reply;
    if (failure.kind !== "refused" || !LASTING_REASONS.includes(failure.reason)) return changes;
    const [first] = changes;
    if (first && changes.length === 1) {
      this.remark(`A change that the engine refused was dropped: ${first.kind}, ${failure.reason}`);
      return [];
    }
    const middle = Math.ceil(changes.length / 2);
    const left = await this.deliver(changes.slice(0, middle));
    const rest = changes.slice(middle);
    return left.length > 0 ? [...left, ...rest] : this.deliver(rest);
  }

  private sendRest(delayMs: number): void {
    if (this.isConnected && !this.queue.isEmpty) this.sendIn(delayMs);
  }
}
