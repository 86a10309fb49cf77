import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Announcement, type Endpoint } from "../../../plugin/protocol/discovery";
import { consentIn } from "../../../plugin/sidecar/programs";
import { RpcClient } from "../../../plugin/sidecar/client";
import { Connection } from "../../../plugin/sidecar/connection";
import { type StartFailure } from "../../../plugin/sidecar/failure";
import { type EngineProcess, type Exit, type FoundPrograms, type Launcher, type Program, type StartOutcome } from "../../../plugin/sidecar/process";
import { type EngineState, Supervisor } from "../../../plugin/sidecar/supervisor";
import { type ManualClock, indexStatus, manualClock, nodeClock, until } from "../builders";
import { FakeServer, initializeResult, openSocket } from "./server";

const program: Program = { path: "/bin/quarry", version: "0.1.0", protocol: 1 };
const announced: Announcement = { kind: "ready", discoveryPath: "/run/v.json", version: "0.1.0", protocol: 1 };

/** A process that does what the test says. */
class FakeEngine implements EngineProcess {
  readonly pid = 1;
  readonly started: Promise<StartOutcome>;
  readonly exited: Promise<Exit>;
  isStopped = false;
  #settleExit: (exit: Exit) => void = () => undefined;

  constructor(outcome: StartOutcome) {
    this.started = Promise.resolve(outcome);
    this.exited = new Promise((resolve) => {
      this.#settleExit = resolve;
    });
  }

  die(code: number | null, signal: string | null): void {
    this.#settleExit({ code, signal });
  }

  logTail(): string {
    return "last words";
  }

  stop(): Promise<void> {
    this.isStopped = true;
    this.die(0, null);
    return Promise.resolve();
  }
}

class FakeLauncher implements Launcher {
  found: readonly Program[] = [program];
  outcome: StartOutcome = announced;
  endpoint: Endpoint | null = null;
  readonly engines: FakeEngine[] = [];

  /** How often it was looked for. */
  looked = 0;

  find(_chosen: string | null, mayRun: (path: string) => boolean): Promise<FoundPrograms> {
    this.looked += 1;
    const [found, unapproved] = [true, false].map((isApproved) => this.found.filter(({ path }) => mayRun(path) === isApproved));
    return Promise.resolve({ found: found ?? [], unapproved: (unapproved ?? []).map(({ path }) => path), tried: ["/bin/quarry"], platform: "linux", installers: [] });
  }

  start(): EngineProcess {
    const engine = new FakeEngine(this.outcome);
    this.engines.push(engine);
    return engine;
  }

  readEndpoint(): Promise<Endpoint | null> {
    return Promise.resolve(this.endpoint);
  }

  get last(): FakeEngine {
    const last = this.engines.at(-1);
    if (!last) throw new Error("nothing was started");
    return last;
  }
}

let answers: unknown;
const consent = consentIn({ read: () => answers, write: (given) => { answers = given; } });
let server: FakeServer;
let launcher: FakeLauncher;
let clock: ManualClock;
let connection: Connection;
let supervisor: Supervisor;
let states: EngineState[];

beforeEach(async () => {
  answers = null;
  server = await FakeServer.start();
  launcher = new FakeLauncher();
  launcher.endpoint = { port: server.port, token: "t" };
  clock = manualClock();
  // The socket's own timers are real, as the socket is; the supervisor's are the test's.
  connection = new Connection({ openSocket, clock: nodeClock, clientName: "test", clientVersion: "1" });
  const client = new RpcClient(connection, nodeClock, () => undefined);
  supervisor = new Supervisor({ launcher, connection, client, clock, chosenProgram: () => null, consent });
  consent.set(program.path, true);
  states = [];
  supervisor.changed.listen((state) => states.push(state));
});

afterEach(async () => {
  await supervisor.stop();
  await server.stop();
});

const is = (kind: EngineState["kind"]) => (): boolean => supervisor.state.kind === kind;
const kinds = (): string[] => states.map(({ kind }) => kind);

async function live(): Promise<void> {
  supervisor.start();
  await until(is("live"));
}

describe("asking before a program is started", () => {
  const other: Program = { ...program, path: "/elsewhere/quarry" };

  beforeEach(() => {
    launcher.found = [other];
  });

  test("a program that was never started waits for an answer, and runs when it is yes", async () => {
    supervisor.start();
    await until(is("unapproved"));
    const before = [...launcher.engines];
    supervisor.approve();
    await until(is("live"));

    expect(before).toEqual([]);
    expect(states.find(({ kind }) => kind === "unapproved")).toEqual({ kind: "unapproved", program: other.path, isDeclined: false });
    expect(answers).toEqual({ [program.path]: true, [other.path]: true });
  });

  test("an answer of no is remembered, and can be changed", async () => {
    supervisor.start();
    await until(is("unapproved"));
    supervisor.decline();
    supervisor.start();
    await until(is("unapproved"));

    expect(supervisor.state).toEqual({ kind: "unapproved", program: other.path, isDeclined: true });
    expect(launcher.engines).toEqual([]);
    supervisor.approve();
    await until(is("live"));
  });

  test("a program that was approved runs without a question, whatever else is there", async () => {
    launcher.found = [other, program];
    await live();

    expect(kinds()).toEqual(["starting", "live"]);
  });
});

describe("looking again", () => {
  test("an engine that was installed meanwhile is found without a word until then, and not at every focus", async () => {
    launcher.found = [];
    supervisor.start();
    await until(is("missing"));
    supervisor.lookAgain();
    const looked = launcher.looked;
    await clock.advance(3_000);
    launcher.found = [program];
    supervisor.lookAgain();
    await until(is("live"));

    expect(looked).toBe(1);
    expect(kinds()).toEqual(["starting", "missing", "starting", "live"]);
  });

  test("an engine that runs is not looked for", async () => {
    await live();
    await clock.advance(10_000);
    supervisor.lookAgain();

    expect(launcher.looked).toBe(1);
  });
});

describe("getting an engine", () => {
  test("starts it, connects and knows the index", async () => {
    await live();

    expect(kinds()).toEqual(["starting", "live"]);
    expect(supervisor.state).toEqual({ kind: "live", version: "0.1.0", isOurs: true });
    expect(supervisor.status).toEqual(initializeResult.status);
  });

  test("says where it looked when there is none", async () => {
    launcher.found = [];
    supervisor.start();
    await until(is("missing"));

    expect(supervisor.state).toEqual({ kind: "missing", platform: "linux", installers: [], tried: ["/bin/quarry"] });
  });

  test("takes the first that speaks our protocol", async () => {
    launcher.found = [{ ...program, path: "/old/quarry", protocol: 0 }, program];
    await live();

    expect(supervisor.program).toEqual(program);
  });

  test("names the wrong version when none does", async () => {
    consent.set("/old/quarry", true);
    launcher.found = [{ path: "/old/quarry", version: "0.0.9", protocol: 0 }];
    supervisor.start();
    await until(is("outdated"));

    expect(supervisor.state).toEqual({ kind: "outdated", program: "/old/quarry", version: "0.0.9", protocol: 0 });
    expect(launcher.engines).toEqual([]);
  });

  test("attaches to one that runs, and leaves it alone when it stops", async () => {
    launcher.outcome = { kind: "held", discoveryPath: "/run/v.json", holderPid: 12 };
    await live();
    const { state } = supervisor;
    await supervisor.stop();

    expect(state).toMatchObject({ kind: "live", isOurs: false });
    expect(server.received.map(({ method }) => method)).not.toContain("shutdown");
    expect(launcher.last.isStopped).toBe(false);
  });

  test("a running engine of another protocol is not used", async () => {
    server.respond = (_, reply) => {
      reply({ result: { ...initializeResult, protocol: 2, version: "9" } });
    };
    supervisor.start();
    await until(is("outdated"));

    expect(supervisor.state).toEqual({ kind: "outdated", program: "/bin/quarry", version: "9", protocol: 2 });
  });
});

describe("losing it", () => {
  test.each([["process", "socket"], ["socket", "process"]] as const)("an exit that the %s shows before the %s is reported once", async (...order) => {
    await live();
    states = [];
    for (const sign of order) {
      if (sign === "process") launcher.last.die(null, "SIGKILL");
      else server.cut();
      await until(is("disconnected"));
    }
    await until(() => server.connectionCount === 0);

    expect(kinds()).toEqual(["disconnected"]);
    expect(supervisor.status).toBeNull();
  });

  test("it is started again after a second", async () => {
    await live();
    launcher.last.die(null, "SIGKILL");
    await until(is("disconnected"));
    await clock.advance(999);
    const before = launcher.engines.length;
    await clock.advance(1);
    await until(is("live"));

    expect(before).toBe(1);
    expect(launcher.engines).toHaveLength(2);
    expect(kinds()).toEqual(["starting", "live", "disconnected", "live"]);
  });

  test.each<[StartFailure]>([
    [{ kind: "exited", code: 1, signal: null }],
    [{ kind: "silent", afterMs: 10_000 }],
    [{ kind: "garbled", line: "Welcome" }],
    [{ kind: "unreachable" }],
  ])("%j is tried again: a crash loop ends after five starts, with its last words", async (failure) => {
    launcher.outcome = { kind: "failed", failure };
    supervisor.start();
    await clock.advance(60_000);

    expect(launcher.engines).toHaveLength(5);
    expect(supervisor.state).toEqual({ kind: "failed", failure, log: "last words" });
  });

  test.each<[StartFailure]>([
    [{ kind: "not-runnable", program: "/bin/quarry", message: "EACCES" }],
    [{ kind: "exited", code: 2, signal: null }],
    [{ kind: "vault-missing" }],
    [{ kind: "index-too-new" }],
  ])("%j is not tried again, because it would be the same", async (failure) => {
    launcher.outcome = { kind: "failed", failure };
    supervisor.start();
    await clock.advance(60_000);

    expect(launcher.engines).toHaveLength(1);
    expect(supervisor.state).toMatchObject({ kind: "failed", failure });
  });

  test("a minute of life forgives the crashes before", async () => {
    await live();
    for (let crash = 0; crash < 6; crash += 1) {
      await clock.advance(60_000);
      launcher.last.die(1, null);
      await until(is("disconnected"));
      await clock.advance(1_000);
      await until(is("live"));
    }

    expect(launcher.engines).toHaveLength(7);
  });

  test("when an attached engine is gone for good, ours takes its place", async () => {
    launcher.outcome = { kind: "held", discoveryPath: "/run/v.json", holderPid: 12 };
    await live();
    launcher.outcome = announced;
    launcher.endpoint = null;
    server.cut();
    await until(() => launcher.engines.length === 2);
    launcher.endpoint = { port: server.port, token: "t" };
    await until(is("live"));

    expect(supervisor.state).toMatchObject({ kind: "live", isOurs: true });
  });

  test("a holder that never answers is named", async () => {
    launcher.outcome = { kind: "held", discoveryPath: "/run/v.json", holderPid: 12 };
    launcher.endpoint = null;
    supervisor.start();
    await until(is("occupied"));

    expect(supervisor.state).toEqual({ kind: "occupied", pid: 12 });
  });
});

describe("ending it", () => {
  test("asks it to leave, then closes its stdin", async () => {
    await live();
    await supervisor.stop();

    expect(server.received.at(-1)?.method).toBe("shutdown");
    expect(launcher.last.isStopped).toBe(true);
    expect(supervisor.state.kind).toBe("stopped");
  });

  test("a start that was under way does not come through", async () => {
    supervisor.start();
    await supervisor.stop();
    await clock.advance(60_000);

    expect(kinds()).toEqual(["starting", "stopped"]);
    expect(launcher.engines.every(({ isStopped }) => isStopped)).toBe(true);
  });

  test("a restart ends the old one before it starts the new one", async () => {
    await live();
    const [old] = launcher.engines;
    supervisor.start();
    await until(() => launcher.engines.length === 2);
    const wasStopped = old?.isStopped;
    await until(is("live"));

    expect(wasStopped).toBe(true);
    expect(kinds()).toEqual(["starting", "live", "starting", "live"]);
  });

  test("a restart forgives a crash loop", async () => {
    launcher.outcome = { kind: "failed", failure: { kind: "exited", code: 1, signal: null } };
    supervisor.start();
    await clock.advance(60_000);
    launcher.outcome = announced;
    supervisor.start();
    await until(is("live"));

    expect(launcher.engines).toHaveLength(6);
  });
});

test("the status follows what the engine says", async () => {
  await live();
  const seen: (number | undefined)[] = [];
  supervisor.statusChanged.listen((status) => seen.push(status?.notes));
  server.notify("index/progress", indexStatus({ notes: 7 }));
  server.notify("index/updated", { indexed: [], removed: [], status: indexStatus({ notes: 8 }) });
  await until(() => seen.length === 2);

  expect(seen).toEqual([7, 8]);
});
