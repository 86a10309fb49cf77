/**
 * A plugin that does a little of everything, for the tests of the host itself: plain CommonJS, as a bundle is.
 *
 * What it hears is in `window.fixture.heard`, oldest first.
 */
"use strict";
const { ItemView, MarkdownView, Notice, Plugin, PluginSettingTab, SearchComponent, Setting, TFile, debounce } = require("obsidian");
const { spawn } = require("node:child_process");

const VIEW_TYPE = "fixture-view";

class FixtureView extends ItemView {
  getViewType() {
    return VIEW_TYPE;
  }

  getDisplayText() {
    return "Fixture";
  }

  getIcon() {
    return "search";
  }

  async onOpen() {
    this.contentEl.empty();
    const search = new SearchComponent(this.contentEl).setPlaceholder("Type here");
    const echo = this.contentEl.createDiv({ cls: "fixture-row" });
    search.onChange(debounce((text) => echo.setText(text), 20, true));
  }
}

class FixtureSettings extends PluginSettingTab {
  getSettingDefinitions() {
    return [
      { type: "group", heading: "General", items: [
        { name: "Greeting", control: { type: "text", key: "greeting", validate: (value) => (value === "" ? "Say something." : undefined) } },
        { name: "Loud", control: { type: "toggle", key: "loud" } },
      ] },
      { name: "Rendered", render: (setting) => void setting.addButton((button) => button.setButtonText("Press").onClick(() => new Notice("Pressed"))) },
    ];
  }
}

module.exports = class FixturePlugin extends Plugin {
  async onload() {
    this.heard = [];
    window.fixture = this;
    this.settings = { greeting: "Hello", loud: false, ...(await this.loadData()) };
    const { vault, workspace } = this.app;
    for (const name of ["create", "modify", "delete"]) {
      this.registerEvent(vault.on(name, (file) => this.heard.push(`${name} ${file.path}`)));
    }
    this.registerEvent(vault.on("rename", (file, oldPath) => this.heard.push(`rename ${oldPath} -> ${file.path}${file instanceof TFile ? "" : " (folder)"}`)));
    this.registerEvent(workspace.on("file-open", (file) => this.heard.push(`file-open ${file.path}`)));
    workspace.onLayoutReady(() => this.heard.push("layout-ready"));
    this.registerView(VIEW_TYPE, (leaf) => new FixtureView(leaf));
    this.addRibbonIcon("search", "Open fixture", () => new Notice("Ribbon"));
    this.status = this.addStatusBarItem();
    this.status.setText("idle");
    this.addSettingTab(new FixtureSettings(this.app, this));
    this.addCommand({ id: "notice", name: "Show a notice", callback: () => new Notice("Noticed") });
    this.addCommand({ id: "selection", name: "Read the selection", checkCallback: (checking) => this.readSelection(checking) });
    this.registerObsidianProtocolHandler("fixture", ({ query }) => this.heard.push(`uri ${query}`));
  }

  onunload() {
    this.child?.stdin.end();
  }

  readSelection(checking) {
    const view = this.app.workspace.getActiveViewOfType(MarkdownView);
    if (view && !checking) this.heard.push(`selected ${view.editor.getSelection()}`);
    return view !== null;
  }

  /** Start a program that answers every line with itself, and say what it answers to "ping". */
  echo(command, args) {
    return new Promise((resolve, reject) => {
      this.child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
      this.child.on("error", (error) => reject(error));
      this.child.on("exit", (code, signal) => this.heard.push(`exit ${code ?? signal}`));
      this.child.stdout.setEncoding("utf8").once("data", (text) => resolve({ pid: this.child.pid, text: text.trim() }));
      this.child.stdin.write("ping\n");
    });
  }
};
