import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type EngineProcess, type Launcher, createLauncher } from "../../../plugin/sidecar/process";
import { nodeClock, until } from "../builders";
import { Engines, isAlive, leaveOnEof, ready, stayForever } from "./engines";

let engines: Engines;
let launcher: Launcher;
let started: EngineProcess[];

beforeEach(() => {
  engines = new Engines();
  launcher = createLauncher({ vaultPath: "/vaults/Notes; echo $HOME", clock: nodeClock, readyDeadlineMs: 5_000, killAfterMs: 300 });
  started = [];
});

afterEach(async () => {
  await Promise.all(started.map((engine) => engine.stop()));
  engines.remove();
});

function start(body: string, own: Launcher = launcher): EngineProcess {
  const engine = own.start(engines.program(body));
  started.push(engine);
  return engine;
}

// A shebang makes a script a program here; Windows has no such thing, and its paths are tested in locate.test.ts.
describe.skipIf(process.platform === "win32")("starting", () => {
  test("the announcement is the first line, and the process stays", async () => {
    const engine = start(`${ready("/run/v.json")} ${leaveOnEof}`);

    expect(await engine.started).toEqual({ kind: "ready", discoveryPath: "/run/v.json", version: "0.1.0", protocol: 1 });
    expect(isAlive(engine.pid)).toBe(true);
  });

  test("arguments arrive as they are, in the home folder, with nothing for a shell to read", async () => {
    const record = join(engines.folder, "seen.json");
    const engine = start(
      `require("fs").writeFileSync(${JSON.stringify(record)}, JSON.stringify([process.argv.slice(2), process.cwd(), process.env.PYTHONUTF8])); ${ready("/v")} ${leaveOnEof}`,
    );
    await engine.started;

    expect(JSON.parse(readFileSync(record, "utf8"))).toEqual([
      ["serve", "--vault", "/vaults/Notes; echo $HOME", "--parent-pid", String(process.pid), "--lifeline"],
      homedir(),
      "1",
    ]);
  });

  test("a line that comes in pieces is one line", async () => {
    const engine = start(`
      const line = JSON.stringify({ ready: true, discovery: "/rün/v.json", version: "0.1.0", protocol: 1 }) + "\\n";
      const bytes = Buffer.from(line);
      const cut = bytes.indexOf(0xc3) + 1; // in the middle of the ü
      process.stdout.write(bytes.subarray(0, cut));
      setTimeout(() => process.stdout.write(bytes.subarray(cut)), 30);
      ${leaveOnEof}`);

    expect(await engine.started).toMatchObject({ kind: "ready", discoveryPath: "/rün/v.json" });
  });

  test("another sidecar that holds the vault is reported, with its pid", async () => {
    const engine = start(`console.log(JSON.stringify({ ready: false, discovery: "/run/v.json", holder: { pid: 12 } })); process.exitCode = 3;`);

    expect(await engine.started).toEqual({ kind: "held", discoveryPath: "/run/v.json", holderPid: 12 });
    expect(await engine.exited).toEqual({ code: 3, signal: null });
  });

  test("another program's greeting is shown, and it is ended", async () => {
    const engine = start(`console.log("Welcome to Quarry Miner 3000"); ${stayForever}`);

    expect(await engine.started).toEqual({ kind: "failed", failure: { kind: "garbled", line: "Welcome to Quarry Miner 3000" } });
    expect(await engine.exited).toEqual({ code: null, signal: "SIGKILL" });
  });

  test("silence ends at the deadline, and with it the process", async () => {
    const impatient = createLauncher({ vaultPath: "/v", clock: nodeClock, readyDeadlineMs: 200, killAfterMs: 300 });
    const engine = start(stayForever, impatient);

    expect(await engine.started).toEqual({ kind: "failed", failure: { kind: "silent", afterMs: 200 } });
    expect(await engine.exited).toEqual({ code: null, signal: "SIGKILL" });
  });

  test.each([
    [1, { kind: "exited", code: 1, signal: null }],
    [2, { kind: "exited", code: 2, signal: null }],
    [4, { kind: "vault-missing" }],
    [5, { kind: "index-too-new" }],
  ])("exit code %i has a meaning", async (code, failure) => {
    const engine = start(`console.error("why it left"); process.exitCode = ${code};`);

    expect(await engine.started).toEqual({ kind: "failed", failure });
    expect(engine.logTail()).toBe("why it left\n");
  });

  test("a file that cannot be run is a failure, not an exception", async () => {
    const engine = launcher.start(engines.file("quarry", "no program"));

    expect(await engine.started).toMatchObject({ kind: "failed", failure: { kind: "not-runnable" } });
    await engine.stop();
    expect(engine.pid).toBeNull();
  });

  test("ten megabytes on stderr stop nothing, and the last words are kept", async () => {
    const engine = start(`
      process.stderr.write("x".repeat(10 * 1024 * 1024) + "the end", () => { ${ready("/v")} });
      ${leaveOnEof}`);
    await engine.started;

    expect(engine.logTail().endsWith("the end")).toBe(true);
    expect(engine.logTail().length).toBe(8_000);
  });

  test("stdout is read on after the announcement", async () => {
    const marker = join(engines.folder, "done");
    const engine = start(`
      ${ready("/v")}
      process.stdout.write("y".repeat(5 * 1024 * 1024), () => require("fs").writeFileSync(${JSON.stringify(marker)}, "1"));
      ${leaveOnEof}`);
    await engine.started;
    await until(() => {
      try {
        return readFileSync(marker, "utf8") === "1";
      } catch {
        return false;
      }
    });

    expect(isAlive(engine.pid)).toBe(true);
  });
});

describe.skipIf(process.platform === "win32")("stopping", () => {
  test("closing its stdin is enough for one that listens", async () => {
    const engine = start(`${ready("/v")} ${leaveOnEof}`);
    await engine.started;
    await engine.stop();

    expect(await engine.exited).toEqual({ code: 0, signal: null });
  });

  test("one that does not listen is killed", async () => {
    const engine = start(`process.on("SIGTERM", () => {}); ${ready("/v")} ${stayForever}`);
    await engine.started;
    await engine.stop();

    expect(await engine.exited).toEqual({ code: null, signal: "SIGKILL" });
  });

  test("one that is gone needs no stopping", async () => {
    const engine = start(`process.exitCode = 0;`);
    await engine.exited;

    await expect(engine.stop()).resolves.toBeUndefined();
  });
});

const never = (): boolean => false;

describe.skipIf(process.platform === "win32")("finding", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test("a chosen program is asked who it is", async () => {
    const path = engines.program("");

    expect(await launcher.find(path, never)).toMatchObject({ found: [{ path, version: "0.1.0", protocol: 1 }], unapproved: [], tried: [path] });
  });

  test("what does not answer like Quarry is not taken", async () => {
    const path = engines.program("", { version: `console.log("quarry, the stone cutter, version 7"); process.exit(0);` });

    expect((await launcher.find(path, never)).found).toEqual([]);
  });

  test("a program that is missing is listed among the paths that were tried", async () => {
    const path = join(engines.folder, "nowhere", "quarry");

    expect(await launcher.find(path, never)).toMatchObject({ found: [], unapproved: [], tried: [path] });
  });

  test("without a choice PATH is searched", async () => {
    const path = engines.program("");
    vi.stubEnv("HOME", join(engines.folder, "home"));
    vi.stubEnv("PATH", engines.folder);

    expect((await launcher.find(null, (other) => other === path)).found).toEqual([{ path, version: "0.1.0", protocol: 1 }]);
  });

  test("a program that may not be run is not run, not even to ask who it is", async () => {
    const started = join(engines.folder, "started");
    const path = engines.program("", { version: `require("fs").writeFileSync(${JSON.stringify(started)}, ""); process.exit(0);` });
    vi.stubEnv("HOME", join(engines.folder, "home"));
    vi.stubEnv("PATH", engines.folder);

    expect(await launcher.find(null, never)).toMatchObject({ found: [], unapproved: [path], installers: [] });
    expect(existsSync(started)).toBe(false);
  });

  test("where there is no engine, what could install it is looked for and not run", async () => {
    const started = join(engines.folder, "started");
    engines.program("", { name: "uv", version: `require("fs").writeFileSync(${JSON.stringify(started)}, "");` });
    vi.stubEnv("HOME", join(engines.folder, "home"));
    vi.stubEnv("PATH", engines.folder);

    expect(await launcher.find(null, never)).toMatchObject({ found: [], unapproved: [], platform: process.platform, installers: ["uv"] });
    expect(existsSync(started)).toBe(false);
  });
});

describe("the discovery file", () => {
  test("gives the port, and the owner's token from the file that it names", async () => {
    const owner = engines.file("v.owner", JSON.stringify({ pid: 1, token: "o" }));
    const path = engines.file("v.json", JSON.stringify({ pid: 1, port: 4711, token: "t", protocol: 1, owner }));

    expect(await launcher.readEndpoint(path)).toEqual({ port: 4711, token: "o" });
  });

  test("gives its own token where it names no owner's file, as that of an earlier version", async () => {
    const path = engines.file("v.json", JSON.stringify({ pid: 1, port: 4711, token: "t", protocol: 1 }));

    expect(await launcher.readEndpoint(path)).toEqual({ port: 4711, token: "t" });
  });

  test("whose owner's file is gone leads nowhere: the sidecar is leaving", async () => {
    const owner = join(engines.folder, "gone.owner");
    const path = engines.file("v.json", JSON.stringify({ pid: 1, port: 4711, token: "t", protocol: 1, owner }));

    expect(await launcher.readEndpoint(path)).toBeNull();
  });

  test("that is gone leads nowhere", async () => {
    expect(await launcher.readEndpoint(join(engines.folder, "gone.json"))).toBeNull();
  });
});
