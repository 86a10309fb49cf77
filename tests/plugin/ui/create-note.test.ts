// @vitest-environment jsdom
import "./dom";
import { type App } from "obsidian";
import { expect, test } from "vitest";
import { createNote, offeredNote } from "../../../plugin/ui/create-note";

function appWhere(fields: { readonly existing?: string; readonly refuses?: boolean }): { app: App; did: string[] } {
  const did: string[] = [];
  const app = {
    metadataCache: { getFirstLinkpathDest: (name: string) => (name === fields.existing ? {} : null) },
    fileManager: { getNewFileParent: (source: string, path: string) => ({ path: `Inbox of ${source} for ${path}` }) },
    vault: { create: async (path: string) => (fields.refuses ? Promise.reject(new Error("File already exists.")) : Promise.resolve(did.push(`create ${path}`))) },
    workspace: {
      getActiveFile: () => ({ path: "Daily.md" }),
      getLeaf: () => ({ view: {}, openFile: async (_: unknown, state: unknown) => Promise.resolve(did.push(`open ${JSON.stringify(state)}`)) }),
    },
  };
  return { app: app as unknown as App, did };
}

test("a note is offered under the query's words, unless there is one of that name", () => {
  expect(offeredNote(appWhere({}).app, "tag:#x rate limit")).toBe("rate limit");
  expect(offeredNote(appWhere({ existing: "rate limit" }).app, "rate limit")).toBeNull();
  expect(offeredNote(appWhere({}).app, "tag:#x")).toBeNull();
});

test("it is created where Obsidian creates new notes, and opened for writing", async () => {
  const { app, did } = appWhere({});
  await createNote(app, "rate limit");

  expect(did).toEqual(["create Inbox of Daily.md for rate limit.md/rate limit.md", 'open {"active":true,"state":{"mode":"source"}}']);
});

test("one that cannot be created opens nothing", async () => {
  const { app, did } = appWhere({ refuses: true });
  await createNote(app, "rate limit");

  expect(did).toEqual([]);
});
