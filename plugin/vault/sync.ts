/**
 * Tells the sidecar what changed: bursts gathered, order kept, nothing lost while it is away.
 *
 * Only one batch is under way at a time, or a slow one would be overtaken by its successor. There is no replay after a
 * restart beyond this queue, because a starting sidecar compares its index with the folder itself.
 */
import { type Cancel, type Clock } from "../clock";
import { type Change } from "../protocol/messages";
import { type Asks } from "../sidecar/client";
import { ChangeQueue } from "./changes";

const QUIET_MS = 80; // a folder's rename fires its events within a few milliseconds
const MAX_WAIT_MS = 400; // in a long stream of events; leaves more than half of the promised second to the engine
const RETRY_MS = 1_000;
const BATCH_LIMIT = 5_000; // of `vault/changed`
const TIMEOUT_MS = 30_000; // only queueing is waited for, but a batch of 5,000 may meet a busy disk

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
  ) {}

  push(change: Change): void {
    this.queue.add(change);
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
    const changes = this.queue.take(BATCH_LIMIT);
    const reply = await this.client.request("vault/changed", { changes }, TIMEOUT_MS).reply;
    this.isSending = false;
    if (!reply.ok) this.queue.putBack(changes);
    this.sendRest(reply.ok ? 0 : RETRY_MS);
  }

  private sendRest(delayMs: number): void {
    if (this.isConnected && !this.queue.isEmpty) this.sendIn(delayMs);
  }
}
