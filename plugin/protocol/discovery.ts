/** Parsers for what a starting sidecar publishes: its line on stdout, its discovery file, and `quarry --version`. */
import { parseObject } from "./codec";

/** The one line on stdout. It carries no token, so it may be logged. */
export type Announcement =
  | {
      readonly kind: "ready";
      /** Absolute path of the discovery file, which contains the token. */
      readonly discoveryPath: string;
      readonly version: string;
      readonly protocol: number;
    }
  | {
      /** Another sidecar serves this vault already. */
      readonly kind: "held";
      readonly discoveryPath: string;
      readonly holderPid: number | null;
    };

/** Port and credential of a running sidecar. */
export interface Endpoint {
  readonly port: number;
  readonly token: string;
}

/** A discovery file: an endpoint with a token for reading, and the path of the owner's token. */
export interface Discovery extends Endpoint {
  /** Absolute path; null for a sidecar of an earlier version, which has one token for everything. */
  readonly ownerPath: string | null;
}

export interface ProgramVersion {
  readonly version: string;
  readonly protocol: number;
}

/** Parses the line on stdout; null when it is not an announcement. */
export function parseAnnouncement(line: string): Announcement | null {
  const value = parseObject(line);
  const discoveryPath = value?.["discovery"];
  if (!value || typeof discoveryPath !== "string" || discoveryPath === "") return null;
  if (value["ready"] === false) {
    const holder = value["holder"];
    const pid: unknown = typeof holder === "object" && holder !== null && "pid" in holder ? holder.pid : null;
    return { kind: "held", discoveryPath, holderPid: typeof pid === "number" ? pid : null };
  }
  const { ready, version, protocol } = value;
  if (ready !== true || typeof version !== "string" || typeof protocol !== "number") return null;
  return { kind: "ready", discoveryPath, version, protocol };
}

/** Parses a discovery file; null when it is malformed or truncated. */
export function parseDiscovery(text: string): Discovery | null {
  const value = parseObject(text);
  const port = value?.["port"];
  const token = value?.["token"];
  const owner = value?.["owner"];
  if (typeof port !== "number" || !Number.isInteger(port) || port < 1 || port > 65535) return null;
  if (typeof token !== "string" || token === "") return null;
  return { port, token, ownerPath: typeof owner === "string" && owner !== "" ? owner : null };
}

/** Parses the owner's file; null when it is gone, malformed or truncated. */
export function parseOwnerToken(text: string): string | null {
  const token = parseObject(text)?.["token"];
  return typeof token === "string" && token !== "" ? token : null;
}

/** Reads the output of `quarry --version`: `quarry 0.1.0 (protocol 1)`. Null for the output of any other program. */
export function parseProgramVersion(output: string): ProgramVersion | null {
  const match = /^quarry (\S+) \(protocol (\d+)\)\s*$/.exec(output);
  const [, version, protocol] = match ?? [];
  return version !== undefined && protocol !== undefined ? { version, protocol: Number(protocol) } : null;
}
