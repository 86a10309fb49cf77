import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Connection, type ConnectionState } from "../../../plugin/sidecar/connection";
import { type Endpoint } from "../../../plugin/protocol/discovery";
import { nodeClock, until } from "../builders";
import { FakeServer, initializeResult, openSocket } from "./server";

let server: FakeServer;
let connection: Connection;
let states: ConnectionState[];

beforeEach(async () => {
  server = await FakeServer.start();
  connection = new Connection({ openSocket, clock: nodeClock, clientName: "test", clientVersion: "1" });
  states = [];
  connection.changed.listen((state) => states.push(state));
});

afterEach(async () => {
  connection.close();
  await server.stop();
});

const here = (): Promise<Endpoint> => Promise.resolve({ port: server.port, token: "the token" });
const isOpen = (): boolean => connection.state.kind === "open";

describe("opening", () => {
  test("shows the token in the first message and nothing before it", async () => {
    connection.open(here);
    await until(isOpen);

    expect(server.received).toEqual([
      {
        jsonrpc: "2.0",
        id: 0,
        method: "initialize",
        params: { token: "the token", protocol: 1, client: { name: "test", version: "1" } },
      },
    ]);
    expect(connection.state).toEqual({ kind: "open", server: initializeResult });
  });

  test("nothing can be sent before it is open", () => {
    connection.open(here);

    expect(connection.send("{}")).toBe(false);
  });

  test("a sidecar that speaks another protocol is not asked again", async () => {
    server.respond = (_, reply) => {
      reply({ result: { ...initializeResult, protocol: 2, version: "9.0.0" } });
    };
    connection.open(here);
    await until(() => connection.state.kind === "incompatible");
    await until(() => server.connectionCount === 0);

    expect(connection.state).toEqual({ kind: "incompatible", protocol: 2, version: "9.0.0" });
    expect(server.received).toHaveLength(1);
  });

  test("nor one that says so itself", async () => {
    server.respond = (_, reply) => {
      reply({ error: { code: -32002, message: "other protocol", data: { kind: "protocol-mismatch", next: "" } } });
    };
    connection.open(here);
    await until(() => connection.state.kind === "incompatible");

    expect(connection.state).toEqual({ kind: "incompatible", protocol: null, version: null });
  });
});

describe("coming back", () => {
  test("after a cut, with the endpoint read anew", async () => {
    const tokens = ["first", "second"];
    connection.open(() => Promise.resolve({ port: server.port, token: tokens.shift() ?? "late" }));
    await until(isOpen);
    server.cut();
    await until(() => server.received.length === 2 && isOpen());

    expect(server.received.map(({ params }) => params["token"])).toEqual(["first", "second"]);
    expect(states.map(({ kind }) => kind)).toEqual(["connecting", "open", "waiting", "connecting", "open"]);
  });

  test("a refused token is tried again with a new one, since the sidecar may have restarted", async () => {
    const tokens = ["stale", "fresh"];
    server.respond = ({ params }, reply) => {
      if (params["token"] === "fresh") reply({ result: initializeResult });
      else reply({ error: { code: -32001, message: "wrong token", data: { kind: "unauthorized", next: "" } } });
    };
    connection.open(() => Promise.resolve({ port: server.port, token: tokens.shift() ?? "fresh" }));
    await until(isOpen);

    expect(server.received).toHaveLength(2);
  });

  test("waits longer each time there is nobody", async () => {
    connection.open(() => Promise.resolve(null));
    await until(() => states.filter(({ kind }) => kind === "waiting").length === 3);

    expect(states.flatMap((state) => (state.kind === "waiting" ? [[state.attempt, state.delayMs]] : []))).toEqual([
      [1, 200],
      [2, 400],
      [3, 800],
    ]);
  });

  test("not after it was closed", async () => {
    connection.open(here);
    await until(isOpen);
    connection.close();
    await until(() => server.connectionCount === 0);

    expect(states.map(({ kind }) => kind)).toEqual(["connecting", "open", "closed"]);
    expect(connection.send("{}")).toBe(false);
  });

  test("not when it was closed while the endpoint was being read", async () => {
    let give: (endpoint: Endpoint) => void = () => undefined;
    connection.open(() => new Promise((resolve) => { give = resolve; }));
    connection.close();
    give({ port: server.port, token: "t" });
    await new Promise((resolve) => setImmediate(resolve));

    expect(connection.state.kind).toBe("closed");
    expect(server.connectionCount).toBe(0);
  });
});
