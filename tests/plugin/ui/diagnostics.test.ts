// @vitest-environment jsdom
import "./dom";
import { expect, test } from "vitest";
import { type IndexStatus } from "../../../plugin/protocol/messages";
import { type EngineState } from "../../../plugin/sidecar/supervisor";
import { Emitter } from "../../../plugin/emitter";
import { diagnostics, withoutUser } from "../../../plugin/ui/diagnostics";
import { indexStatus } from "../builders";

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
