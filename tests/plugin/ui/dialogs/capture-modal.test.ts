// @vitest-environment jsdom
import { texts } from "../dom";
import { App, Notice } from "obsidian";
import { beforeEach, expect, test, vi } from "vitest";
import { type CaptureParams, type CaptureResult } from "../../../../plugin/protocol/messages";
import { type Requester } from "../../../../plugin/sidecar/client";
import { type Reply } from "../../../../plugin/sidecar/failure";
import { capturedWords, CaptureModal } from "../../../../plugin/ui/dialogs/capture-modal";

vi.mock("obsidian", async (original) => ({ ...(await original<object>()), Notice: vi.fn() }));

const app = new (App as unknown as new () => App)();
const NOTE: CaptureResult = {
  path: "00-inbox/Tea.md", title: "Tea", created: true, searchable: true, redacted: 0, redactions: {},
  index: { state: "live", done: 1, total: 1, epoch: 2, fallback: null },
};

let answer: Reply<CaptureResult>;
let asked: CaptureParams[];
let drafts: string[];

beforeEach(() => {
  answer = { ok: true, value: NOTE };
  asked = [];
  drafts = [];
});

function opened(draft = ""): CaptureModal {
  const client = {
    request: (_method: string, params: CaptureParams) => {
      asked.push(params);
      return { reply: Promise.resolve(answer) };
    },
  };
  const modal = new CaptureModal(app, client as unknown as Requester, (text) => { drafts.push(text); }, draft);
  modal.onOpen();
  return modal;
}

function type(modal: CaptureModal, selector: string, value: string): void {
  const field = modal.contentEl.querySelector<HTMLInputElement | HTMLTextAreaElement>(selector);
  if (!field) throw new Error(`no ${selector}`);
  field.value = value;
  field.dispatchEvent(new Event("input"));
}

test("what was typed is captured, and the path told", async () => {
  const modal = opened();
  type(modal, "textarea", "Steep the oolong.");

  await modal.submit();

  expect(asked).toEqual([{ text: "Steep the oolong.", title: null, tags: [], source: "obsidian" }]);
  expect(vi.mocked(Notice).mock.calls).toEqual([["Captured: 00-inbox/Tea.md"]]);
});

test("a selection is there already, and its note is called as one says", async () => {
  const modal = opened("selected text");
  expect(modal.contentEl.querySelector("textarea")?.value).toBe("selected text");

  await modal.submit();

  expect(asked.map(({ text }) => text)).toEqual(["selected text"]);
});

test("an empty text is not sent", async () => {
  await opened("  \n").submit();

  expect(asked).toEqual([]);
});

test("one that cannot be captured stays, with the reason", async () => {
  const modal = opened();
  type(modal, "textarea", "Steep the oolong.");
  answer = { ok: false, failure: { kind: "refused", message: "'a,b' cannot be a tag", next: "correct that parameter" } } as Reply<CaptureResult>;

  await modal.submit();
  modal.onClose();

  expect(texts(modal.contentEl, "[role=alert]").join()).toContain("'a,b' cannot be a tag");
  expect(drafts).toEqual(["Steep the oolong."]);
});

test("closing keeps the draft, and capturing forgets it", async () => {
  const modal = opened("first");
  type(modal, "textarea", "second");
  modal.onClose();
  await modal.submit();
  modal.onClose();

  expect(drafts.at(0)).toBe("second");
  expect(drafts.at(-1)).toBe("");
});

test("a selection that nobody changed is no draft", () => {
  opened("selected text").onClose();

  expect(drafts).toEqual([]);
});

test("a second press while the first is at work sends nothing", async () => {
  const modal = opened("once");
  await Promise.all([modal.submit(), modal.submit()]);

  expect(asked).toHaveLength(1);
});

test("redacted credentials are told", () => {
  expect(capturedWords({ ...NOTE, redacted: 1 })).toBe("Captured: 00-inbox/Tea.md (1 credential redacted)");
  expect(capturedWords({ ...NOTE, redacted: 2 })).toBe("Captured: 00-inbox/Tea.md (2 credentials redacted)");
});
