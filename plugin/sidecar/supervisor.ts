/**
 * Keeps one engine available: finds it, starts it or attaches to the one that runs, brings it back when it dies.
 *
 * The death of our own process and the closing of its socket are one event here, whichever is noticed first, so that
 * the user hears of it once. An engine that somebody else started is used and left alone.
 */
import { type Cancel, type Clock } from "../clock";
import { type Announcement } from "../protocol/discovery";
import { type IndexStatus, PROTOCOL_VERSION } from "../protocol/messages";
import { Signal } from "../signal";
import { type Client } from "./client";
import { type Connection, type ConnectionState } from "./connection";
import { type StartFailure, isWorthRetrying } from "./failure";
import { type EngineProcess, type Launcher, type Program } from "./process";

const FIRST_RESTART_MS = 1_000;
const MAX_CRASHES = 5; // then a person has to look; a sixth start would end like the others
const STABLE_AFTER_MS = 60_000; // an engine that lived this long did not crash at its start
const MAX_LOST_CONNECTIONS = 4; // in a row, over 1.4 s or more: one that only restarts its socket is back by then
const MAX_LOST_HOLDERS = 3; // it holds the vault and does not answer: waiting longer will not change that
const SHUTDOWN_REPLY_MS = 500; // a courtesy; closing its stdin says the same

export type EngineState =
  | { readonly kind: "stopped" }
  | { readonly kind: "starting" }
  | { readonly kind: "missing"; readonly tried: readonly string[] }
  | { readonly kind: "outdated"; readonly program: string | null; readonly version: string | null; readonly protocol: number | null }
  | { readonly kind: "live"; readonly version: string; readonly isOurs: boolean }
  /** It was live, or should be, and comes back by itself. */
  | { readonly kind: "disconnected" }
  /** Another process holds this vault and does not answer. */
  | { readonly kind: "occupied"; readonly pid: number | null }
  /** Gave up: a person has to act. */
  | { readonly kind: "failed"; readonly failure: StartFailure; readonly log: string };

export interface SupervisorParts {
  readonly launcher: Launcher;
  readonly connection: Connection;
  readonly client: Client;
  readonly clock: Clock;
  /** The program chosen for this device; null to look in the usual places. */
  readonly chosenProgram: () => string | null;
}

export class Supervisor {
  readonly changed = new Signal<EngineState>();
  readonly statusChanged = new Signal<IndexStatus | null>();
  private current: EngineState = { kind: "stopped" };
  private indexStatus: IndexStatus | null = null;
  private ours: EngineProcess | null = null;
  private programInUse: Program | null = null;
  private holderPid: number | null = null;
  private crashes = 0;
  private lostHolders = 0;
  /** Settles when every engine that we ended is gone. */
  private ending: Promise<void> = Promise.resolve();
  private lastLog = "";
  private cancelTimer: Cancel = () => undefined;
  private cancelStable: Cancel = () => undefined;
  /** Rises whenever what is under way no longer counts. */
  private round = 0;

  constructor(private readonly parts: SupervisorParts) {
    parts.connection.changed.listen((state) => {
      this.onConnection(state);
    });
    parts.client.notified.listen(({ method, params }) => {
      this.takeStatus(method === "index/updated" ? params.status : params);
    });
  }

  get state(): EngineState {
    return this.current;
  }

  /** Null while nothing is connected. */
  get status(): IndexStatus | null {
    return this.indexStatus;
  }

  /** The program that was started, if any. */
  get program(): Program | null {
    return this.programInUse;
  }

  /** The last lines the engine wrote to stderr. */
  get log(): string {
    return this.ours?.logTail() ?? this.lastLog;
  }

  /** Remembers a status that came as an answer, such as that of `index/pause`. */
  takeStatus(status: IndexStatus): void {
    this.indexStatus = status;
    this.statusChanged.emit(status);
  }

  start(): void {
    void this.begin();
  }

  /** Stops what we started and starts afresh, with a clean slate of crashes. */
  restart(): void {
    this.crashes = 0;
    this.lostHolders = 0;
    this.endOurs();
    this.become({ kind: "starting" });
    void this.begin();
  }

  /** Ends our engine; one that we only attached to stays. Settles when its process is gone. */
  stop(): Promise<void> {
    this.endOurs();
    this.become({ kind: "stopped" });
    return this.ending;
  }

  // --- one attempt --------------------------------------------------------------------------------

  private async begin(): Promise<void> {
    const round = this.nextRound();
    if (this.current.kind !== "disconnected") this.become({ kind: "starting" }); // that it stopped says more
    const { found, tried } = await this.parts.launcher.find(this.parts.chosenProgram());
    if (round !== this.round) return;

    const [first] = found;
    if (!first) {
      this.become({ kind: "missing", tried });
      return;
    }
    const program = found.find(({ protocol }) => protocol === PROTOCOL_VERSION);
    if (!program) {
      this.become({ kind: "outdated", program: first.path, version: first.version, protocol: first.protocol });
      return;
    }
    this.programInUse = program;
    await this.ending; // or the new one would find the old one still holding the vault
    if (round === this.round) await this.launch(program, round);
  }

  private async launch(program: Program, round: number): Promise<void> {
    const engine = this.parts.launcher.start(program.path);
    this.ours = engine;
    const outcome = await engine.started;
    if (round !== this.round) return; // stopped meanwhile, and the process with it
    switch (outcome.kind) {
      case "ready":
        void engine.exited.then(({ code, signal }) => {
          if (round === this.round) this.crash({ kind: "exited", code, signal });
        });
        this.connect(outcome);
        return;
      case "held":
        this.forgetOurs();
        this.holderPid = outcome.holderPid;
        this.connect(outcome);
        return;
      case "failed":
        this.crash(outcome.failure);
        return;
    }
  }

  private connect({ discoveryPath }: Announcement): void {
    this.parts.connection.open(() => this.parts.launcher.readEndpoint(discoveryPath));
  }

  // --- what happens to it -------------------------------------------------------------------------

  private onConnection(state: ConnectionState): void {
    switch (state.kind) {
      case "open":
        this.onOpen(state.hello.version, state.hello.status);
        return;
      case "waiting":
        this.onLost(state.attempt);
        return;
      case "incompatible":
        this.onIncompatible(state.version, state.protocol);
        return;
      case "connecting":
      case "closed":
        return;
    }
  }

  private onOpen(version: string, status: IndexStatus): void {
    this.lostHolders = 0;
    this.become({ kind: "live", version, isOurs: this.ours !== null });
    this.takeStatus(status);
    this.cancelStable();
    this.cancelStable = this.parts.clock.after(STABLE_AFTER_MS, () => {
      this.crashes = 0;
    });
  }

  private onLost(attempt: number): void {
    this.cancelStable();
    this.loseStatus();
    if (this.current.kind === "live") this.become({ kind: "disconnected" });
    if (attempt < MAX_LOST_CONNECTIONS) return;
    if (this.ours) this.crash({ kind: "unreachable" });
    else this.replaceHolder();
  }

  /** The engine that we attached to is gone for good: now it is our turn to start one. */
  private replaceHolder(): void {
    this.nextRound();
    this.parts.connection.close();
    this.lostHolders += 1;
    if (this.lostHolders >= MAX_LOST_HOLDERS) this.become({ kind: "occupied", pid: this.holderPid });
    else void this.begin();
  }

  private onIncompatible(version: string | null, protocol: number | null): void {
    const program = this.programInUse?.path ?? null;
    this.endOurs();
    this.become({ kind: "outdated", program, version, protocol });
  }

  /** Our engine failed: tries again after 1, 2, 4, 8 s, then gives up. */
  private crash(failure: StartFailure): void {
    const log = this.log;
    this.crashes += 1;
    this.endOurs(failure);
    if (this.crashes >= MAX_CRASHES || !isWorthRetrying(failure)) {
      this.become({ kind: "failed", failure, log });
      return;
    }
    this.become({ kind: "disconnected" });
    this.cancelTimer = this.parts.clock.after(FIRST_RESTART_MS * 2 ** (this.crashes - 1), () => void this.begin());
  }

  // --- ending -------------------------------------------------------------------------------------

  /** Whatever is under way no longer counts. One that crashed is not asked to leave, only seen out. */
  private endOurs(crashed: StartFailure | null = null): void {
    const round = this.nextRound();
    const engine = this.ours;
    const isListening = engine !== null && crashed === null && this.current.kind === "live";
    const farewell = isListening ? this.parts.client.ask("shutdown", {}, SHUTDOWN_REPLY_MS) : null;
    this.forgetOurs();
    this.loseStatus();
    if (!farewell) this.parts.connection.close();
    const before = this.ending;
    this.ending = (async () => {
      await farewell;
      if (farewell && round === this.round) this.parts.connection.close();
      await engine?.stop();
      await before;
    })();
  }

  private forgetOurs(): void {
    this.lastLog = this.log;
    this.ours = null;
  }

  private loseStatus(): void {
    if (this.indexStatus === null) return;
    this.indexStatus = null;
    this.statusChanged.emit(null);
  }

  private nextRound(): number {
    this.cancelTimer();
    this.cancelStable();
    this.round += 1;
    return this.round;
  }

  private become(state: EngineState): void {
    // The process and its socket each report the same end: listeners hear of a state once.
    if (JSON.stringify(state) === JSON.stringify(this.current)) return;
    this.current = state;
    this.changed.emit(state);
  }
}
