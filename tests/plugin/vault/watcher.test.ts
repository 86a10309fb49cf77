import { type EventRef, TFile, TFolder, type Vault } from "obsidian";
import { beforeEach, expect, test } from "vitest";
import { type Change } from "../../../plugin/protocol/messages";
import { watchVault } from "../../../plugin/vault/watcher";

type Handler = (file: unknown, oldPath?: string) => void;

let handlers: Map<string, Handler>;
let reported: Change[];

beforeEach(() => {
  handlers = new Map();
  reported = [];
  const vault = {
    on(name: string, handler: Handler): EventRef {
      handlers.set(name, handler);
      return { name };
    },
  };
  watchVault(vault as unknown as Vault, (change) => reported.push(change));
});

/** What Obsidian hands to a listener: an instance of its class, of which only these fields are read. */
function instance(prototype: object, fields: object): unknown {
  const made: unknown = Object.create(prototype);
  return Object.assign(made as object, fields);
}

const file = (path: string): unknown => instance(TFile.prototype, { path, extension: path.split(".").at(-1) });
const folder = (path: string): unknown => instance(TFolder.prototype, { path });

const fire = (name: string, target: unknown, oldPath?: string): void => {
  handlers.get(name)?.(target, oldPath);
};

test("canvases and PDF files are reported as notes are", () => {
  fire("modify", file("Board.canvas"));
  fire("rename", file("Paper.PDF"), "Draft.pdf");
  fire("rename", file("b.json"), "b.canvas");

  expect(reported).toEqual([
    { kind: "modified", path: "Board.canvas" },
    { kind: "renamed", path: "Paper.PDF", oldPath: "Draft.pdf" },
    { kind: "deleted", path: "b.canvas" },
  ]);
});

test("notes are reported, other files are not", () => {
  fire("create", file("a.md"));
  fire("modify", file("b.md"));
  fire("delete", file("c.md"));
  for (const name of ["create", "modify", "delete"]) fire(name, file("image.png"));

  expect(reported).toEqual([
    { kind: "created", path: "a.md" },
    { kind: "modified", path: "b.md" },
    { kind: "deleted", path: "c.md" },
  ]);
});

test("of folders, only what moves or removes notes is reported", () => {
  fire("create", folder("New"));
  fire("rename", folder("Jobs"), "Work");
  fire("delete", folder("Old"));

  expect(reported).toEqual([
    { kind: "renamed", path: "Jobs", oldPath: "Work" },
    { kind: "deleted", path: "Old" },
  ]);
});

test("a file can become a note by its ending, and stop being one", () => {
  fire("rename", file("a.md"), "a.txt");
  fire("rename", file("b.txt"), "b.md");
  fire("rename", file("d.png"), "c.png");
  fire("rename", file("f.md"), "e.md");

  expect(reported).toEqual([
    { kind: "created", path: "a.md" },
    { kind: "deleted", path: "b.md" },
    { kind: "renamed", path: "f.md", oldPath: "e.md" },
  ]);
});

test("accents in two characters go over the wire in one", () => {
  fire("rename", file("Cafe\u0301.md"), "Bu\u0308ro.md");

  expect(reported).toEqual([{ kind: "renamed", path: "Caf\u00e9.md", oldPath: "B\u00fcro.md" }]);
});
