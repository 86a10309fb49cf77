/** A sidecar's socket for tests: a real WebSocket server that answers as it is told. */
import { type AddressInfo } from "node:net";
import WebSocket, { WebSocketServer } from "ws";
import { type Socket } from "../../../plugin/sidecar/connection";
import { type InitializeResult } from "../../../plugin/protocol/messages";
import { indexStatus } from "../builders";

export interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params: Record<string, unknown>;
}

export const initializeResult: InitializeResult = {
  protocol: 1,
  version: "0.1.0",
  vault: { id: "v", name: "Notes", path: "/notes" },
  access: "owner",
  status: indexStatus(),
};

export class FakeServer {
  readonly received: Message[] = [];
  /** Answers everything but what a test takes over. */
  respond: (message: Message, reply: (fields: object) => void) => void = (message, reply) => {
    reply({ result: message.method === "initialize" ? initializeResult : {} });
  };
  readonly #sockets = new Set<WebSocket>();

  private constructor(private readonly server: WebSocketServer) {
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("message", (data) => {
        const message = JSON.parse((data as Buffer).toString("utf8")) as Message;
        this.received.push(message);
        this.respond(message, (fields) => {
          socket.send(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...fields }));
        });
      });
    });
  }

  static async start(port = 0): Promise<FakeServer> {
    const server = new WebSocketServer({ host: "127.0.0.1", port });
    await new Promise((resolve) => server.once("listening", resolve));
    return new FakeServer(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get connectionCount(): number {
    return this.#sockets.size;
  }

  notify(method: string, params: unknown): void {
    for (const socket of this.#sockets) socket.send(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  /** Ends the connections without a word, as a killed process does. */
  cut(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => { this.server.close(resolve); });
  }
}

/** A WebSocket with the Origin of Obsidian's window. Unlike a window's it throws errors that nobody listens to. */
export function openSocket(url: string): Socket {
  const socket = new WebSocket(url, { origin: "app://obsidian.md" });
  socket.on("error", () => undefined);
  return socket as unknown as Socket;
}
