import { describe, expect, test } from "vitest";
import { parseAnnouncement, parseDiscovery, parseOwnerToken, parseProgramVersion } from "../../../plugin/protocol/discovery";

describe("the line on stdout", () => {
  test("a holder that is not known is none", () => {
    expect(parseAnnouncement('{"ready":false,"discovery":"/run/v.json"}')).toMatchObject({ kind: "held", holderPid: null });
  });

  test.each([["Welcome"], ["{}"], ['{"ready":true}'], ['{"ready":true,"discovery":"/v"}'], ['{"ready":"yes","discovery":"/v","version":"1","protocol":1}']])(
    "%s is none",
    (line) => {
      expect(parseAnnouncement(line)).toBeNull();
    },
  );
});

describe("the discovery file", () => {
  test.each([[""], [',"owner":null'], [',"owner":""'], [',"owner":7']])("of a sidecar with one token (%s) names no such file", (owner) => {
    expect(parseDiscovery(`{"pid":1,"port":4711,"token":"secret"${owner}}`)).toEqual({ port: 4711, token: "secret", ownerPath: null });
  });

  test.each([[""], ["{"], ['{"port":4711}'], ['{"port":0,"token":"t"}'], ['{"port":70000,"token":"t"}'], ['{"port":1.5,"token":"t"}'], ['{"port":4711,"token":""}']])(
    "%s leads nowhere",
    (text) => {
      expect(parseDiscovery(text)).toBeNull();
    },
  );
});

describe("the owner's file", () => {
  test.each([[""], ["{"], ["{}"], ['{"token":""}'], ['{"token":7}']])("%s has none", (text) => {
    expect(parseOwnerToken(text)).toBeNull();
  });
});

describe("quarry --version", () => {
  test.each([["quarry 3.2"], ["GNU quarry 0.1.0 (protocol 1)"], [""]])("%j is another program's", (output) => {
    expect(parseProgramVersion(output)).toBeNull();
  });
});
