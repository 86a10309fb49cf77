/**
 * Keeps one engine available: finds it, starts it or attaches to a running one, and restarts it after a crash.
 *
 * The exit of the plugin's own process and the closing of its socket are one event, whichever is noticed first, so that
 * the user is told once. An engine that another program started is used, but never stopped.
 */
import { type Cancel, type Clock } from "../clock";
import { type Announcement } from "../protocol/discovery";
import { type IndexStatus, PROTOCOL_VERSION } from "../protocol/messages";
import { Emitter } from "../emitter";
import { type RpcClient } from "./client";
import { type Consent, type Installer } from "./programs";
import { type Connection, type ConnectionState } from "./connection";
import { type StartFailure, isWorthRetrying } from "./failure";
import { type EngineProcess, type Launcher, type Program } from "./process";

const FIRST_RESTART_MS = 1_000;
const MAX_CRASHES = 5; // then the user has to act; a sixth start would fail like the others
const STABLE_AFTER_MS = 60_000; // an engine that ran this long did not fail at its start
const MAX_LOST_CONNECTIONS = 4; // consecutive, over 1.4 s or more: an engine that only restarts its socket is back by then
const MAX_LOST_HOLDERS = 3; // a process that holds the vault and does not answer: waiting longer will not change that
const LOOK_EVERY_MS = 3_000; // a window gets the focus more often than a program is installed
const SHUTDOWN_REPLY_MS = 500; // a courtesy: closing its stdin stops it as well

export type EngineState =
  | { readonly kind: "stopped" }
  | { readonly kind: "starting" }
  | { readonly kind: "missing"; readonly tried: readonly string[]; readonly platform: string; readonly installers: readonly Installer[] }
  /** A program with the right name is there. It was never started: the user is asked first, and may decline. */
  | { readonly kind: "unapproved"; readonly program: string; readonly isDeclined: boolean }
  | { readonly kind: "outdated"; readonly program: string | null; readonly version: string | null; readonly protocol: number | null }
  | { readonly kind: "live"; readonly version: string; readonly isOurs: boolean }
  /** Not connected; a reconnection or restart is under way. */
  | { readonly kind: "disconnected" }
  /** Another process holds the lock of this vault and does not answer. */
  | { readonly kind: "occupied"; readonly pid: number | null }
  /** Gave up: the user has to act. */
  | { readonly kind: "failed"; readonly failure: StartFailure; readonly log: string };

export interface SupervisorParts {
  readonly launcher: Launcher;
  readonly connection: Connection;
  readonly client: RpcClient;
  readonly clock: Clock;
  /** The program chosen for this device; null to search the usual places. */
  readonly chosenProgram: () => string | null;
  /** Which other programs may be started. */
  readonly consent: Consent;
}

export class Supervisor {
  readonly changed = new Emitter<EngineState>();
  readonly statusChanged = new Emitter<IndexStatus | null>();
  /** The index changed, so that answers may differ. */
  readonly indexUpdated = new Emitter<void>();
  #current: EngineState = { kind: "stopped" };
  #indexStatus: IndexStatus | null = null;
  #ownProcess: EngineProcess | null = null;
  #programInUse: Program | null = null;
  #holderPid: number | null = null;
  #crashes = 0;
  #lostHolders = 0;
  /** Settles when every process that was stopped has exited. */
  #ending: Promise<void> = Promise.resolve();
  #lastLog = "";
  #lookedAt = -Infinity;
  #cancelTimer: Cancel = () => undefined;
  #cancelStable: Cancel = () => undefined;
  /** Incremented whenever pending work becomes obsolete. */
  #generation = 0;

  constructor(private readonly parts: SupervisorParts) {
    parts.connection.changed.listen((state) => {
      this.#onConnection(state);
    });
    parts.client.notifications.listen(({ method, params }) => {
      this.setStatus(method === "index/updated" ? params.status : params);
      if (method === "index/updated") this.indexUpdated.emit();
    });
  }

  get state(): EngineState {
    return this.#current;
  }

  /** The status of the index; null while not connected. */
  get status(): IndexStatus | null {
    return this.#indexStatus;
  }

  /** The program in use; null before one was found. */
  get program(): Program | null {
    return this.#programInUse;
  }

  /** The end of the engine's stderr. */
  get log(): string {
    return this.#ownProcess?.logTail() ?? this.#lastLog;
  }

  /** Sets a status that came as a reply, such as that of `index/pause`. */
  setStatus(status: IndexStatus): void {
    this.#indexStatus = status;
    this.statusChanged.emit(status);
  }

  /** Starts with the crash count at zero, after stopping the own process, if any. */
  start(): void {
    this.#crashes = 0;
    this.#lostHolders = 0;
    this.#stopOwnProcess();
    this.#setState({ kind: "starting" });
    void this.#findAndStart();
  }

  /** Looks for the engine again where there was none to start, without a word unless something changed. */
  lookAgain(): void {
    const { kind } = this.#current;
    const isDue = this.parts.clock.now() - this.#lookedAt >= LOOK_EVERY_MS;
    if (isDue && (kind === "missing" || kind === "unapproved" || kind === "outdated")) void this.#findAndStart();
  }

  /** Starts the program that the user was asked about, now and in future. */
  approve(): void {
    if (this.#current.kind !== "unapproved") return;
    this.parts.consent.set(this.#current.program, true);
    this.start();
  }

  /** The user does not want the program to be started; nothing asks again. */
  decline(): void {
    if (this.#current.kind !== "unapproved") return;
    this.parts.consent.set(this.#current.program, false);
    this.#setState({ ...this.#current, isDeclined: true });
  }

  /** Stops the own process; an engine that was attached to keeps running. Settles when the process has exited. */
  stop(): Promise<void> {
    this.#stopOwnProcess();
    this.#setState({ kind: "stopped" });
    return this.#ending;
  }

  // --- one attempt --------------------------------------------------------------------------------

  async #findAndStart(): Promise<void> {
    const generation = this.#nextGeneration();
    this.#lookedAt = this.parts.clock.now();
    const { consent } = this.parts;
    const { found, unapproved, tried, platform, installers } = await this.parts.launcher.find(this.parts.chosenProgram(), (path) => consent.of(path) === true);
    if (generation !== this.#generation) return;

    const program = found.find(({ protocol }) => protocol === PROTOCOL_VERSION);
    const asked = unapproved.find((path) => consent.of(path) === null) ?? unapproved[0];
    if (!program && asked !== undefined) {
      this.#setState({ kind: "unapproved", program: asked, isDeclined: consent.of(asked) === false });
      return;
    }
    const [first] = found;
    if (!first) {
      this.#setState({ kind: "missing", tried, platform, installers });
      return;
    }
    if (!program) {
      this.#setState({ kind: "outdated", program: first.path, version: first.version, protocol: first.protocol });
      return;
    }
    this.#programInUse = program;
    if (this.#current.kind !== "disconnected") this.#setState({ kind: "starting" }); // "disconnected" tells the user more
    await this.#ending; // or the new process would find the vault locked by the old one
    if (generation === this.#generation) await this.#launch(program, generation);
  }

  async #launch(program: Program, generation: number): Promise<void> {
    const engine = this.parts.launcher.start(program.path);
    this.#ownProcess = engine;
    const outcome = await engine.started;
    if (generation !== this.#generation) return; // stopped meanwhile, together with the process
    switch (outcome.kind) {
      case "ready":
        void engine.exited.then(({ code, signal }) => {
          if (generation === this.#generation) this.#onCrash({ kind: "exited", code, signal });
        });
        this.#connect(outcome);
        return;
      case "held":
        this.#forgetOwnProcess();
        this.#holderPid = outcome.holderPid;
        this.#connect(outcome);
        return;
      case "failed":
        this.#onCrash(outcome.failure);
        return;
    }
  }

  #connect({ discoveryPath }: Announcement): void {
    this.parts.connection.open(() => this.parts.launcher.readEndpoint(discoveryPath));
  }

  // --- connection events --------------------------------------------------------------------------

  #onConnection(state: ConnectionState): void {
    if (state.kind === "open") this.#onConnected(state.server.version, state.server.status);
    else if (state.kind === "waiting") this.#onConnectionLost(state.attempt);
    else if (state.kind === "incompatible") this.#onIncompatible(state.version, state.protocol);
  }

  #onConnected(version: string, status: IndexStatus): void {
    this.#lostHolders = 0;
    this.#setState({ kind: "live", version, isOurs: this.#ownProcess !== null });
    this.setStatus(status);
    this.#cancelStable();
    this.#cancelStable = this.parts.clock.after(STABLE_AFTER_MS, () => {
      this.#crashes = 0;
    });
  }

  #onConnectionLost(attempt: number): void {
    this.#cancelStable();
    this.#clearStatus();
    if (this.#current.kind === "live") this.#setState({ kind: "disconnected" });
    if (attempt < MAX_LOST_CONNECTIONS) return;
    if (this.#ownProcess) this.#onCrash({ kind: "unreachable" });
    else this.#replaceHolder();
  }

  /** The engine that was attached to is gone: starts one. */
  #replaceHolder(): void {
    this.#nextGeneration();
    this.parts.connection.close();
    this.#lostHolders += 1;
    if (this.#lostHolders >= MAX_LOST_HOLDERS) this.#setState({ kind: "occupied", pid: this.#holderPid });
    else void this.#findAndStart();
  }

  #onIncompatible(version: string | null, protocol: number | null): void {
    const program = this.#programInUse?.path ?? null;
    this.#stopOwnProcess();
    this.#setState({ kind: "outdated", program, version, protocol });
  }

  /** The own process failed: restarts it after 1, 2, 4 and 8 s, then gives up. */
  #onCrash(failure: StartFailure): void {
    const log = this.log;
    this.#crashes += 1;
    this.#stopOwnProcess(failure);
    if (this.#crashes >= MAX_CRASHES || !isWorthRetrying(failure)) {
      this.#setState({ kind: "failed", failure, log });
      return;
    }
    this.#setState({ kind: "disconnected" });
    this.#cancelTimer = this.parts.clock.after(FIRST_RESTART_MS * 2 ** (this.#crashes - 1), () => void this.#findAndStart());
  }

  // --- stopping -----------------------------------------------------------------------------------

  /** Drops all pending work and stops the own process; one that crashed is not asked to shut down, only waited for. */
  #stopOwnProcess(crashed: StartFailure | null = null): void {
    const generation = this.#nextGeneration();
    const engine = this.#ownProcess;
    const canShutDown = engine !== null && crashed === null && this.#current.kind === "live";
    const shutdown = canShutDown ? this.parts.client.call("shutdown", {}, SHUTDOWN_REPLY_MS) : null;
    this.#forgetOwnProcess();
    this.#clearStatus();
    if (!shutdown) this.parts.connection.close();
    const before = this.#ending;
    this.#ending = (async () => {
      await shutdown;
      if (shutdown && generation === this.#generation) this.parts.connection.close();
      await engine?.stop();
      await before;
    })();
  }

  #forgetOwnProcess(): void {
    this.#lastLog = this.log;
    this.#ownProcess = null;
  }

  #clearStatus(): void {
    if (this.#indexStatus === null) return;
    this.#indexStatus = null;
    this.statusChanged.emit(null);
  }

  #nextGeneration(): number {
    this.#cancelTimer();
    this.#cancelStable();
    this.#generation += 1;
    return this.#generation;
  }

  #setState(state: EngineState): void {
    // The process and its socket each report the same end: listeners are notified once.
    if (JSON.stringify(state) === JSON.stringify(this.#current)) return;
    this.#current = state;
    this.changed.emit(state);
  }
}
