// @vitest-environment jsdom
import "./ui/dom";
import { type App, Notice, type PluginManifest } from "obsidian";
import { beforeEach, expect, test, vi } from "vitest";
import { type Actions, createActions } from "../../plugin/actions";
import { DiagnosticLog } from "../../plugin/diagnostic-log";
import { type RpcClient, type Method, type Params } from "../../plugin/sidecar/client";
import { type Supervisor } from "../../plugin/sidecar/supervisor";
import { FakeClient, indexStatus, settled } from "./builders";

vi.mock("obsidian", async (original) => ({ ...(await original<object>()), Notice: vi.fn() }));

let client: FakeClient;
let supervisor: { restart: ReturnType<typeof vi.fn>; setStatus: ReturnType<typeof vi.fn> };
let opened: string[];
let copied: string[];
let actions: Actions;

beforeEach(() => {
  vi.mocked(Notice).mockClear();
  client = new FakeClient();
  opened = [];
  copied = [];
  supervisor = { restart: vi.fn(), setStatus: vi.fn(), ...{ state: { kind: "stopped" }, status: null, program: null, log: "" } };
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

  expect(supervisor.restart).toHaveBeenCalledOnce();
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
