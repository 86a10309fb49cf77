// @vitest-environment jsdom
import { type App, Notice, type PluginManifest } from "obsidian";
import { describe, beforeEach, expect, test, vi } from "vitest";
import "./ui/dom";
import { type Actions, createActions, diagnostics, withoutUser } from "../../plugin/actions";
import { DiagnosticLog } from "../../plugin/diagnostic-log";
import { Emitter } from "../../plugin/emitter";
import { type IndexStatus } from "../../plugin/protocol/messages";
import { type Method, type Params, type RpcClient } from "../../plugin/sidecar/client";
import { type EngineState, type Supervisor } from "../../plugin/sidecar/supervisor";
import { FakeClient, indexStatus, settled } from "./builders";

vi.mock("obsidian", async (original) => ({ ...(await original<object>()), Notice: vi.fn() }));

describe("actions", () => {
  let client: FakeClient;
  let supervisor: { start: ReturnType<typeof vi.fn>; setStatus: ReturnType<typeof vi.fn> };
  let opened: string[];
  let copied: string[];
  let actions: Actions;

  beforeEach(() => {
    vi.mocked(Notice).mockClear();
    client = new FakeClient();
    opened = [];
    copied = [];
    supervisor = { start: vi.fn(), setStatus: vi.fn(), ...{ state: { kind: "stopped" }, status: null, program: null, log: "" } };
    vi.stubGlobal("navigator", { clipboard: { writeText: (text: string) => Promise.resolve(void copied.push(text)) } });
    const setting = { open: () => opened.push("open"), openTabById: (id: string) => opened.push(id) };
    actions = actionsFor({ setting });
  });

  function actionsFor(app: unknown): Actions {
    const asked = { call: <M extends Method>(method: M, params: Params<M>) => client.request(method, params).reply };
    const manifest = { id: "quarry", version: "0.1.0" } as PluginManifest;
    return createActions(app as App, manifest, asked as unknown as RpcClient, supervisor as unknown as Supervisor, new DiagnosticLog(), () => opened.push("inspector"));
  }

  const notices = (): unknown[] => vi.mocked(Notice).mock.calls.map(([text]) => text);

  test.each(["restart", "check-again"] as const)("%s restarts the engine", (action) => {
    actions.commands[action]();

    expect(supervisor.start).toHaveBeenCalledOnce();
  });

  test("pausing takes over the state that the engine answers with, and says so", async () => {
    actions.commands.pause();
    const status = indexStatus({ state: "paused" });
    client.last.answer(status);
    await settled();

    expect(client.last.method).toBe("index/pause");
    expect(supervisor.setStatus).toHaveBeenCalledWith(status);
    expect(notices()).toEqual(["Indexing paused"]);
  });

  test("a rebuild that is refused says why", async () => {
    actions.rebuild();
    client.last.fail({ kind: "refused", reason: "busy", message: "the index is busy", next: "" });
    await settled();

    expect(supervisor.setStatus).not.toHaveBeenCalled();
    expect(notices()).toEqual(["The search engine is busy. Try again in a moment."]);
  });

  test("diagnostics are copied, and a notice says so", async () => {
    actions.commands["copy-report"]();
    await settled();

    expect(copied[0]).toContain("Plugin: 0.1.0");
    expect(notices()).toEqual(["Copied"]);
  });

  test("the settings open at the plugin's own tab; an Obsidian without that interface does nothing", () => {
    actions.commands["open-settings"]();
    actionsFor({}).commands["open-settings"]();

    expect(opened).toEqual(["open", "quarry"]);
  });
});

describe("diagnostics", () => {
  const base = { pluginVersion: "0.1.0", program: { path: "/home/ada/.local/bin/quarry", version: "0.1.0", protocol: 1 }, engineLog: "", pluginLog: "" };
  const signals = { changed: new Emitter<EngineState>(), statusChanged: new Emitter<IndexStatus | null>() };

  test("says what runs, in which state, with which index", () => {
    const engine = { ...signals, state: { kind: "live", version: "0.1.0", isOurs: true } as const, status: indexStatus({ notes: 42 }) };
    const report = diagnostics({ ...base, engine });

    expect(report).toContain("Engine: ~/.local/bin/quarry 0.1.0 (protocol 1)");
    expect(report).toContain("Index: live, 42 notes");
  });

  test("names no user, wherever a path comes from", () => {
    const engine = {
      ...signals,
      state: { kind: "failed", failure: { kind: "not-runnable", program: "C:\\Users\\ada\\quarry.exe", message: "EACCES" }, log: "" } as const,
      status: null,
    };
    const report = diagnostics({ ...base, engine, engineLog: 'File "/Users/ada/lib/x.py"\n/home/ada/notes' });

    expect(report).not.toContain("ada");
    expect(report).toContain("EACCES");
    expect(report).toContain("~/lib/x.py");
  });

  test.each([
    ["/home/ada/x", "~/x"],
    ["/Users/ada/x y", "~/x y"],
    ["C:\\\\Users\\\\ada\\\\x", "~\\\\x"],
    ["d:/Users/ada/x", "~/x"],
    ["/usr/local/bin", "/usr/local/bin"],
  ])("%s becomes %s", (path, told) => {
    expect(withoutUser(path)).toBe(told);
  });

  test("tells what the plugin noticed, where it noticed anything", () => {
    const engine = { ...signals, state: { kind: "stopped" } as const, status: null };

    expect(diagnostics({ ...base, engine, pluginLog: "a change was dropped" })).toContain("Plugin log: a change was dropped");
    expect(diagnostics({ ...base, engine })).not.toContain("Noticed");
  });
});
