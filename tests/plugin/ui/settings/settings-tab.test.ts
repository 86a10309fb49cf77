// @vitest-environment jsdom
import { emptyBody } from "../dom";
import { App, ButtonComponent, Modal, Notice, type Plugin, Setting, type SliderComponent, type ToggleComponent } from "obsidian";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { type ConsentRequest, type ModelChoice, type ModelsUseParams, type Settings as VaultSettings, type SettingsWriteParams } from "../../../../plugin/protocol/messages";
import { DEFAULTS, type Preferences } from "../../../../plugin/settings";
import { type Reply } from "../../../../plugin/sidecar/failure";
import { QuarrySettingTab } from "../../../../plugin/ui/settings/settings-tab";
import { indexStatus, recordedCommands, settled, TestEngine } from "../../builders";

vi.mock("obsidian", async (original) => ({ ...(await original<object>()), Notice: vi.fn() }));

const vaultSettings: VaultSettings = {
  includeFolders: [],
  excludeFolders: ["Archive", "Templates"],
  model: "bundled",
  skipSections: ["Related"],
  keywordWeight: 1,
  denseWeight: 1,
  fusion: "convex",
  stemming: "by-language",
  indexTemplates: false,
  indexCanvases: true,
  indexPdfs: false,
  excludeStatus: ["archived"],
  sensitiveFolders: [],
  restrictedFolders: [],
  captureFolder: "00-inbox",
  captureByAgents: false,
};

const SENDING: ConsentRequest = { kind: "endpoint", message: { code: "consent.endpoint", args: { origin: "http://127.0.0.1:11434" } } };

function modelChoice(fields: Partial<ModelChoice>): ModelChoice {
  const choice = { name: "m", languages: "english", sizeBytes: 20_000_000, remainingMs: 90_000, gain: null, doneChunks: 0, totalChunks: 9 } as const;
  return { ...choice, isHere: true, obstacle: null, requests: [], ...fields };
}

let answer: Reply<VaultSettings>;
let reads: number;
let written: SettingsWriteParams[];
let listed: (string | null | undefined)[];
let used: ModelsUseParams[];
let models: ModelChoice[];
let chosen: string;
let kept: Preferences[];
let paths: (string | null)[];
let engine: TestEngine;
let tab: QuarrySettingTab;
let toggles: ToggleComponent[];
let sliders: SliderComponent[];

beforeEach(() => {
  vi.mocked(Notice).mockClear();
  toggles = [];
  const addToggle = Reflect.get(Setting.prototype, "addToggle");
  vi.spyOn(Setting.prototype, "addToggle").mockImplementation(function (this: Setting, build) {
    return addToggle.call(this, (toggle) => {
      toggles.push(toggle);
      build(toggle);
    });
  });
  sliders = [];
  const addSlider = Reflect.get(Setting.prototype, "addSlider");
  vi.spyOn(Setting.prototype, "addSlider").mockImplementation(function (this: Setting, build) {
    return addSlider.call(this, (slider) => {
      sliders.push(slider);
      build(slider);
    });
  });
  vi.useFakeTimers();
  answer = { ok: true, value: vaultSettings };
  reads = 0;
  written = [];
  listed = [];
  used = [];
  chosen = "bundled";
  models = [modelChoice({ name: "bundled", languages: "scripts", gain: 0 }), modelChoice({ name: "ollama:nomic-embed-text", requests: [SENDING] })];
  paths = [];
  kept = [];
  engine = new TestEngine();
  engine.status = indexStatus({ problemCount: 1, problems: [{ path: "big.md", reason: { code: "reason.too-large.note", args: { megabytes: "10" } }, skipped: false }] });
  const app = new (App as unknown as new () => App)();
  tab = new QuarrySettingTab(app, { manifest: { id: "quarry" } } as unknown as Plugin, {
    settings: () => DEFAULTS,
    save: (settings) => kept.push(settings),
    engine,
    enginePath: () => "/opt/quarry",
    saveEnginePath: (path) => paths.push(path),
    readVault: () => {
      reads += 1;
      return Promise.resolve(answer);
    },
    excludeFolder: (folder) => {
      written.push({ excludeFolders: [folder] });
      return Promise.resolve();
    },
    listModels: ({ model }) => {
      listed.push(model);
      return Promise.resolve({ ok: true, value: { models, chosen } });
    },
    useModel: (choice) => {
      used.push(choice);
      return Promise.resolve(answer);
    },
    writeVault: (change) => {
      written.push(change);
      return Promise.resolve(answer);
    },
    rebuild: () => undefined,
    commands: recordedCommands([]),
  });
  emptyBody().append(tab.containerEl);
});

async function display(): Promise<void> {
  // For Obsidian before 1.13, which knows no definitions.
  Reflect.apply(Reflect.get(tab, "display"), tab, []);
  vi.runAllTimers();
  await settled();
}

const areas = (): HTMLTextAreaElement[] => [...tab.containerEl.querySelectorAll("textarea")];

const lists = (): HTMLSelectElement[] => [...tab.containerEl.querySelectorAll("select")];
const noticeTexts = (): unknown[] => vi.mocked(Notice).mock.calls.map(([text]) => text);

function change(field: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement | undefined, value: string): void {
  if (!field) throw new Error("no such field");
  field.value = value;
  field.dispatchEvent(new Event("change"));
}

describe("the vault's settings", () => {
  test("are shown as the sidecar reads them", async () => {
    await display();

    expect(areas().map(({ value }) => value)).toEqual(["", "Archive\nTemplates"]);
  });

  test("only what the user changed is written", async () => {
    await display();
    change(areas()[1], "Archive\n/Private/\n\n");
    await settled();

    expect(written).toEqual([{ excludeFolders: ["Archive", "Private"] }]);
  });

  test("the way of ranking is chosen from a list", async () => {
    await display();
    const select = lists()[3];
    const before = select?.value;
    change(select, "rrf");
    await settled();

    expect(before).toBe("convex");
    expect([...(select?.options ?? [])].map(({ value }) => value)).toEqual(["convex", "rrf"]);
    expect(written).toEqual([{ fusion: "rrf" }]);
    expect(noticeTexts()).toEqual([]);
  });

  test("a way of ranking that the file of the vault names is shown, though the list offers others", async () => {
    answer = { ok: true, value: { ...vaultSettings, fusion: "six-signals" } };
    await display();

    expect(lists()[3]?.value).toBe("six-signals");
  });

  test("one slider weighs words and meaning", async () => {
    answer = { ok: true, value: { ...vaultSettings, keywordWeight: 1, denseWeight: 3 } };
    await display();
    const slider = sliders[1];
    const before = [slider?.getValue(), slider?.sliderEl.parentElement?.querySelector(".quarry-slider-value")?.textContent];
    change(slider?.sliderEl, "40");
    await settled();

    expect(before).toEqual([75, "75%"]);
    expect(written).toEqual([{ keywordWeight: 1.2, denseWeight: 0.8 }]);
  });

  test("whoever changes the stemming is told that all notes are indexed again", async () => {
    await display();
    change(lists()[4], "none");
    await settled();

    expect(written).toEqual([{ stemming: "none" }]);
    expect(noticeTexts()).toEqual([expect.stringContaining("indexed again")]);
  });

  test("statuses are written one by one", async () => {
    await display();
    const field = [...tab.containerEl.querySelectorAll("input")].find(({ value }) => value === "archived");
    change(field, "draft, ,archived,draft");
    await settled();

    expect(written).toEqual([{ excludeStatus: ["draft", "archived"] }]);
  });

  test("templates and PDF files are searched once somebody says so, canvases until then, and nothing is written by showing that", async () => {
    await display();
    const before = [...written];
    for (const toggle of toggles.slice(1, 4)) toggle.onClick();
    await settled();

    expect(before).toEqual([]);
    expect(written).toEqual([{ indexTemplates: true }, { indexCanvases: false }, { indexPdfs: true }]);
  });

  test("cannot be changed while the engine is away", async () => {
    answer = { ok: false, failure: { kind: "not-connected" } };
    await display();

    expect(areas().map(({ value }) => value)).toEqual(["", ""]);
    expect(tab.containerEl.textContent).toContain("Available while the engine is running.");
  });

  test("appear when the engine comes back", async () => {
    answer = { ok: false, failure: { kind: "not-connected" } };
    await display();
    answer = { ok: true, value: vaultSettings };
    engine.changed.emit({ kind: "live", version: "0.1.0", isOurs: true });
    await settled();

    expect(areas()[1]?.value).toBe("Archive\nTemplates");
  });

  test("are not read any more once the tab is closed", async () => {
    await display();
    tab.hide();
    engine.changed.emit({ kind: "disconnected" });
    await settled();

    expect(reads).toBe(1);
  });
});

describe("the model", () => {
  const list = (): HTMLSelectElement | undefined => lists()[2];
  const nameField = (): HTMLInputElement | undefined => [...tab.containerEl.querySelectorAll("input")].find(({ value }) => value === "bundled");
  let opened: Modal[];
  let clicks: (() => unknown)[];

  beforeEach(() => {
    clicks = [];
    vi.spyOn(ButtonComponent.prototype, "onClick").mockImplementation(function (this: ButtonComponent, click) {
      clicks.push(click as () => unknown);
      return this;
    });
    opened = [];
    vi.spyOn(Modal.prototype, "open").mockImplementation(function (this: Modal) { opened.push(this); });
  });

  test("is chosen from those that the engine lists, with what each is for and costs", async () => {
    models.push(modelChoice({ name: "far/away", languages: "many", gain: 0.022, isHere: false, remainingMs: null }), modelChoice({ name: "done", languages: null, doneChunks: 9 }));
    await display();

    expect(list()?.value).toBe("bundled");
    expect([...(list()?.options ?? [])].map(({ text }) => text)).toEqual([
      "bundled · English, other scripts · 20.0 MB · 2 min left",
      "ollama:nomic-embed-text · English · 20.0 MB · 2 min left",
      "far/away · many languages · 20.0 MB to download · +0.022 on test queries",
      "done · 20.0 MB · answers at once",
    ]);
  });

  test("is used after its user has read and confirmed what is sent", async () => {
    await display();
    change(list(), "ollama:nomic-embed-text");
    await settled();
    const before = [...used];
    const asked = opened.at(-1)?.contentEl.textContent;
    const shown = list()?.value; // as it stays if they decline
    clicks.at(-1)?.(); // the second button of the dialog
    await settled();

    expect([before, shown]).toEqual([[], "bundled"]);
    expect(asked).toContain("is sent to the program at http://127.0.0.1:11434");
    expect(used).toEqual([{ model: "ollama:nomic-embed-text", confirmed: ["endpoint"] }]);
    expect(written).toEqual([]);
  });

  test("that needs no confirmation is used at once, also one that is not listed", async () => {
    await display();
    const field = nameField();
    models.push(modelChoice({ name: "/models/mine" }));
    change(field, " /models/mine ");
    await settled();

    expect(listed.at(1)).toBe("/models/mine");
    expect(used).toEqual([{ model: "/models/mine", confirmed: [] }]);
    expect(opened).toEqual([]);
  });

  test("that only the vault asks for is not shown as the one in use, so that it can be chosen", async () => {
    models = [modelChoice({ name: "bundled" }), modelChoice({ name: "x/y", requests: [SENDING] })];
    chosen = "x/y";
    await display();

    expect(list()?.value).toBe("bundled");
  });
});

describe("the program", () => {
  const field = (): HTMLInputElement | undefined => [...tab.containerEl.querySelectorAll("input")].find(({ value }) => value === "/opt/quarry");

  test.each([
    ["is kept when it is a full path", "/opt/other/quarry", ["/opt/other/quarry"]],
    ["emptied means: look in the usual places", "  ", [null]],
    ["is not kept when it would depend on the working folder", "quarry", []],
  ])("%s", async (_, path, saved) => {
    await display();
    change(field(), path);

    expect(paths).toEqual(saved);
  });
});

test("notes with problems are named with their reason", async () => {
  await display();

  expect(tab.containerEl.textContent).toContain("big.md (partially indexed): Only its first 10 MB are indexed.");
});

test("the definitions of 1.13 hold the same rows, so that its search finds them", async () => {
  const groups = tab.getSettingDefinitions() as unknown as { items: { name: string; render: (setting: Setting) => void }[] }[];
  const names = groups.flatMap(({ items }) => items.map(({ name }) => name));
  for (const { render } of groups.flatMap(({ items }) => items)) render(new Setting(tab.containerEl));
  vi.runAllTimers();
  await settled();

  expect(names).toEqual(expect.arrayContaining(["Status", "Program path", "Exclude these folders", "Embedding model", "Rebuild index", "Results per page", "Row density"]));
  expect(areas().map(({ value }) => value)).toEqual(["", "Archive\nTemplates"]);
});

test("the name of a note and the size of rows are chosen from lists, and kept", async () => {
  await display();
  const [naming, density] = lists();
  change(naming, "title");
  change(density, "compact");
  await settled();

  expect(kept).toEqual([{ ...DEFAULTS, naming: "title" }, { ...DEFAULTS, density: "compact" }]);
});

test("what is being typed is kept when the vault's settings come again", async () => {
  await display();
  const [include] = areas();
  include?.focus();
  if (include) include.value = "Wor";
  engine.changed.emit({ kind: "live", version: "0.1.0", isOurs: true });
  await settled();
  expect(include?.value).toBe("Wor");

  include?.blur();
  engine.changed.emit({ kind: "live", version: "0.1.0", isOurs: true });
  await settled();
  expect(include?.value).toBe("");
});
