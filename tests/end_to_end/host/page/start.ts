/** Turns the page into the app. */
import { call, type Hello, onVaultFolderChange, openEvents } from "./node/bridge-client";
import { installGlobals, nodeModules } from "./node/modules";
import { PrimedDisk } from "./node/primed-disk";
import { installDomHelpers } from "./dom";
import { Driver } from "./driver";
import { PluginLoader } from "./loader";
import { type Disk, FileSystemAdapter } from "./obsidian/adapter";
import { App } from "./obsidian/app";
import { obsidianModule } from "./obsidian/module";

declare global {
  interface Window {
    testHost: Driver;
    app: App;
  }
}

async function start(): Promise<void> {
  const hello = call("hello", {}) as Hello;
  installGlobals(hello);
  installDomHelpers();
  await openEvents();

  const nodeModule = nodeModules(hello);
  const requireModule = (name: string): object => (name === "obsidian" ? obsidianModule : nodeModule(name));
  const disk = new PrimedDisk(nodeModule("fs") as Disk);
  const adapter = new FileSystemAdapter(hello.vault, disk.ahead);
  const app = new App(adapter, hello.configDir, document.body.find(".workspace"));
  onVaultFolderChange((path) => {
    if (app.workspace.layoutReady) app.vault.hostReconcile(path);
  });
  Object.assign(window, { app, require: requireModule, testHost: new Driver(app, new PluginLoader(app, requireModule), () => { disk.prime(); }) });
  document.body.dataset.ready = "true";
}

void start();
