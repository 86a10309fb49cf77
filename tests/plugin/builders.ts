/** Values and stand-ins that the tests of the plugin share. */
import { type Clock } from "../../plugin/clock";
import { Emitter } from "../../plugin/emitter";
import { BLANK_HIT, BLANK_PASSAGE, BLANK_RESULT } from "../../plugin/protocol/blank";
import { type Message, type ExplainResult, type Freshness, type Hit, type IndexStatus, type Passage, type SearchResult } from "../../plugin/protocol/messages";
import { type CommandMap, type EngineActionId } from "../../plugin/pane/commands";
import { type HitRow, type RowOptions, answerRows } from "../../plugin/pane/rows";
import { type Answer } from "../../plugin/search/answer";
import { type Room } from "../../plugin/snippet/excerpt";
import { type Requester, type Method, type Params, type Pending, type Result } from "../../plugin/sidecar/client";
import { type Failure, type Reply } from "../../plugin/sidecar/failure";
import { type EngineState } from "../../plugin/sidecar/supervisor";

export function passage(fields: Partial<Passage> = {}): Passage {
  return { ...BLANK_PASSAGE, headingPath: ["Backoff"], snippet: "retry with capped backoff", marks: [{ start: 0, end: 5, kind: "word" }], matchEnd: 5, tokens: 6, ...fields };
}

export function hit(path: string, fields: Partial<Hit> = {}): Hit {
  return { ...BLANK_HIT, path, title: path.replace(/\.md$/, ""), score: 1, confidence: 0.9, matchedBy: "both", passages: [passage()], ...fields };
}

/** That of an index at rest. */
export const FRESHNESS: Freshness = { state: "live", done: 3, total: 3, epoch: 1, fallback: null };

const UNDERSTOOD: Message = { code: "understood.notes", args: { conditions: [{ code: "understood.by-both", args: { words: "retry" } }] } };

export function searchResult(...hits: readonly Hit[]): SearchResult {
  return { ...BLANK_RESULT, hits, total: hits.length, reachable: hits.length, understood: UNDERSTOOD, confidence: 0.9, retrievers: ["keyword", "dense"], index: FRESHNESS };
}

/** An answer as a session gives it, for `retry`. */
export function answer(fields: Partial<Answer> = {}): Answer {
  const { hits, total, sort, clauses, missing, understood, isQuestion, corrections, unknownWords, relaxed, unmet, weakness, extract } = searchResult(...(fields.hits ?? []));
  return { query: "retry", mode: "hybrid", limit: 30, snippetWidth: 120, lastWordIsPrefix: false, isAtRest: true, hits, total, reachable: fields.total ?? total, sort, clauses, missing, understood, isQuestion, corrections, unknownWords, relaxed, unmet, weakness, extract, tookMs: 5, ...fields };
}

export function explained(fields: Partial<ExplainResult> = {}): ExplainResult {
  return {
    path: "a.md",
    state: "hit",
    messages: [{ code: "explained.hit", args: { rank: 1, total: 3 } }, { code: "explained.by-title", args: {} }],
    understood: UNDERSTOOD,
    rank: 1,
    total: 3,
    score: 0.5,
    confidence: 0.9,
    breakdown: null,
    signals: [],
    wordsFound: [],
    wordsLacking: [],
    index: FRESHNESS,
    ...fields,
  };
}

export function indexStatus(fields: Partial<IndexStatus> = {}): IndexStatus {
  return {
    state: "live",
    notes: 3,
    chunks: 9,
    pending: 0,
    excluded: 0,
    progress: null,
    model: { name: "bundled", state: "ready", message: null },
    backfill: null,
    models: [],
    missing: [],
    problemCount: 0,
    problems: [],
    indexedMs: 1,
    builtMs: 1,
    sizeBytes: 1_000_000,
    message: null,
    ...fields,
  };
}

export interface ManualClock extends Clock {
  /** Lets time pass and runs what falls due, in order, with the promises that this settles. */
  advance(ms: number): Promise<void>;
}

export function manualClock(): ManualClock {
  let now = 0;
  let timers: { at: number; run: () => void }[] = [];
  const due = (until: number): { at: number; run: () => void } | undefined =>
    timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
  return {
    now: () => now,
    after(delayMs, run) {
      const timer = { at: now + delayMs, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    async advance(ms) {
      const until = now + ms;
      await settled();
      for (let next = due(until); next; next = due(until)) {
        const timer = next;
        timers = timers.filter((other) => other !== timer);
        now = Math.max(now, timer.at);
        timer.run();
        await settled();
      }
      now = until;
    },
  };
}

/** Node's own timers, for tests of real processes and sockets. */
export const nodeClock: Clock = {
  now: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => {
      clearTimeout(timer);
    };
  },
};

/** Long enough for a chain of settled promises to run to its end. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

/** Waits for something real (a process, a socket) to come true; the test's own time-out ends a wait in vain. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

export interface Asked {
  readonly id: number;
  readonly method: Method;
  readonly params: unknown;
  isCancelled: boolean;
  isAbandoned: boolean;
  answer(result: unknown): void;
  fail(failure: Failure): void;
}

/** A client that writes down what it is asked; the test gives the answers. */
export class FakeClient implements Requester {
  readonly asked: Asked[] = [];

  get last(): Asked {
    const last = this.asked.at(-1);
    if (!last) throw new Error("nothing was asked");
    return last;
  }

  request<M extends Method>(method: M, params: Params<M>): Pending<Result<M>> {
    const id = this.asked.length + 1;
    let settle: (reply: Reply<Result<M>>) => void = () => undefined;
    const reply = new Promise<Reply<Result<M>>>((resolve) => {
      settle = resolve;
    });
    const asked: Asked = {
      id,
      method,
      params,
      isCancelled: false,
      isAbandoned: false,
      answer: (result) => {
        settle({ ok: true, value: result as Result<M> });
      },
      fail: (failure) => {
        settle({ ok: false, failure });
      },
    };
    this.asked.push(asked);
    return {
      id,
      reply,
      cancel: () => {
        asked.isCancelled = true;
        asked.fail({ kind: "cancelled" });
      },
      abandon: () => {
        asked.isAbandoned = true;
        asked.fail({ kind: "cancelled" });
      },
    };
  }
}

/** A computer without an engine. */
export const MISSING = { kind: "missing", tried: ["/bin/quarry"], platform: "linux", installers: ["uv"] } as const satisfies EngineState;

/** Rows as they are at first: folded, named by file. */
export const ROW_OPTIONS: RowOptions = { naming: "file", showsRest: false, contexts: new Map(), further: new Map(), dismissed: new Set(), newNote: null };

/** More room than any excerpt of a test needs. */
export const ROOM: Room = { characters: 400, asked: 640 };

/** The row of a hit that stands alone. */
export function hitRow(found: Hit, fields: Partial<HitRow> = {}): HitRow {
  const [row] = answerRows(answer({ hits: [found] }), ROW_OPTIONS);
  if (row?.kind !== "hit") throw new Error("no row");
  return { ...row, ...fields };
}

/** Commands of the engine that write down which of them ran. */
export function recordedCommands(ran: EngineActionId[]): CommandMap<EngineActionId> {
  const record = (id: EngineActionId) => (): void => { ran.push(id); };
  return {
    "check-again": record("check-again"),
    "copy-report": record("copy-report"),
    "decline-engine": record("decline-engine"),
    "open-inspector": record("open-inspector"),
    "open-settings": record("open-settings"),
    pause: record("pause"),
    restart: record("restart"),
    resume: record("resume"),
    "start-engine": record("start-engine"),
  };
}

export const LIVE: EngineState = { kind: "live", version: "0.1.0", isOurs: true };

/** An engine whose state the test sets. */
export class TestEngine {
  readonly changed = new Emitter<EngineState>();
  readonly statusChanged = new Emitter<IndexStatus | null>();
  readonly indexUpdated = new Emitter<void>();
  state: EngineState = LIVE;
  status: IndexStatus | null = indexStatus();

  setState(state: EngineState): void {
    this.state = state;
    this.status = state.kind === "live" ? indexStatus() : null;
    this.changed.emit(state);
  }
}
