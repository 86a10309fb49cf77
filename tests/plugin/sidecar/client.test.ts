import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { RpcClient } from "../../../plugin/sidecar/client";
import { Connection } from "../../../plugin/sidecar/connection";
import { type Failure } from "../../../plugin/sidecar/failure";
import { nodeClock, searchResult, until } from "../builders";
import { FakeServer, type Message, initializeResult, openSocket } from "./server";

let server: FakeServer;
let connection: Connection;
let client: RpcClient;
let logged: string[];

beforeEach(async () => {
  server = await FakeServer.start();
  connection = new Connection({ openSocket, clock: nodeClock, clientName: "test", clientVersion: "1" });
  logged = [];
  client = new RpcClient(connection, nodeClock, (line) => logged.push(line));
  connection.open(() => Promise.resolve({ port: server.port, token: "t" }));
  await until(() => connection.state.kind === "open");
});

afterEach(async () => {
  connection.close();
  await server.stop();
});

/** Leaves a method without an answer. */
function silence(method: string): void {
  server.respond = (message, reply) => {
    if (message.method !== method) reply({ result: message.method === "initialize" ? initializeResult : {} });
  };
}

const heard = (method: string): Message[] => server.received.filter((message) => message.method === method);

describe("asking", () => {
  test("answers may come in another order", async () => {
    const waiting: ((fields: object) => void)[] = [];
    server.respond = (_, reply) => {
      waiting.push(reply);
    };
    const first = client.call("search", { query: "1" });
    const second = client.call("search", { query: "2" });
    await until(() => waiting.length === 2);
    waiting[1]?.({ result: "second" });
    waiting[0]?.({ result: "first" });

    expect(await first).toEqual({ ok: true, value: "first" });
    expect(await second).toEqual({ ok: true, value: "second" });
  });

  test.each<[string, object, Failure]>([
    ["a query that cannot be read says where", { code: -32010, message: "no closing quote", data: { kind: "bad-query", next: "close it", position: 3 } }, { kind: "bad-query", message: "no closing quote", next: "close it", position: 3 }],
    ["what the engine cancelled is cancelled", { code: -32800, message: "superseded", data: { kind: "cancelled" } }, { kind: "cancelled" }],
    ["any other refusal keeps the engine's words", { code: -32014, message: "busy", data: { kind: "busy", next: "try again" } }, { kind: "refused", reason: "busy", message: "busy", next: "try again" }],
  ])("%s", async (_, error, failure) => {
    server.respond = (_message, reply) => { reply({ error }); };

    expect(await client.call("search", { query: 'a "b' })).toEqual({ ok: false, failure });
  });

  test("no answer in time is a failure, and the request is cancelled", async () => {
    silence("search");
    const reply = await client.call("search", { query: "slow" }, 30);
    await until(() => heard("$/cancel").length > 0);

    expect(reply).toEqual({ ok: false, failure: { kind: "timed-out", afterMs: 30 } });
    expect(heard("$/cancel")[0]?.params).toEqual({ id: heard("search")[0]?.id });
  });

  test("without a connection nothing is sent", async () => {
    connection.close();

    expect(await client.call("search", { query: "x" })).toEqual({ ok: false, failure: { kind: "not-connected" } });
  });

  test("what was asked when the connection broke fails once", async () => {
    silence("search");
    const reply = client.call("search", { query: "x" });
    await until(() => heard("search").length > 0);
    server.cut();

    expect(await reply).toEqual({ ok: false, failure: { kind: "disconnected" } });
  });
});

describe("cancelling", () => {
  test("settles at once and tells the sidecar", async () => {
    silence("search");
    const pending = client.request("search", { query: "x" });
    pending.cancel();
    const reply = await pending.reply;
    await until(() => heard("$/cancel").length > 0);

    expect(reply).toEqual({ ok: false, failure: { kind: "cancelled" } });
    expect(heard("$/cancel")[0]?.params).toEqual({ id: pending.id });
  });

  test("what has settled is not cancelled", async () => {
    const pending = client.request("search", { query: "x" });
    await pending.reply;
    pending.cancel();
    await client.call("index/status", {});

    expect(heard("$/cancel")).toEqual([]);
  });

  test("an abandoned request sends no message", async () => {
    silence("search");
    const pending = client.request("search", { query: "x" });
    pending.abandon();
    await client.call("index/status", {});

    expect(await pending.reply).toEqual({ ok: false, failure: { kind: "cancelled" } });
    expect(heard("$/cancel")).toEqual([]);
  });

  test("an answer that comes after all is for nobody", async () => {
    let late: (fields: object) => void = () => undefined;
    server.respond = ({ method }, reply) => {
      if (method === "search") late = reply;
      else reply({ result: {} });
    };
    const pending = client.request("search", { query: "x" });
    await until(() => heard("search").length > 0);
    pending.cancel();
    late({ result: searchResult() });
    await client.call("index/status", {});

    expect(await pending.reply).toEqual({ ok: false, failure: { kind: "cancelled" } });
  });
});

test("an error that names no request is written down and settles none", async () => {
  let answer: (fields: object) => void = () => undefined;
  server.respond = (_, reply) => {
    answer = reply;
  };
  const reply = client.call("search", { query: "x" });
  await until(() => heard("search").length > 0);
  answer({ id: null, error: { code: -32700, message: "the frame is not JSON", data: { kind: "parse" } } });
  answer({ result: searchResult() });

  expect(await reply).toEqual({ ok: true, value: searchResult() });
  expect(logged).toEqual(["Error without a request id: -32700 parse"]);
});
