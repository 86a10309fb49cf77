/** Notices: short messages to the user. */

const shown: Notice[] = [];

/** Every notice so far, oldest first: its newest text, and whether it still stands on the screen. */
export function noticesSoFar(): { text: string; visible: boolean }[] {
  return shown.map((notice) => ({ text: notice.messageEl.innerText, visible: notice.containerEl.isConnected }));
}

/** Obsidian's default: a notice stands for five seconds. */
const DEFAULT_MS = 5000;

export class Notice {
  readonly containerEl: HTMLElement;
  readonly messageEl: HTMLElement;
  private readonly timer: number | undefined;

  /** *duration* in ms; 0: until it is clicked. */
  constructor(message: string | DocumentFragment, duration = DEFAULT_MS) {
    const stack = activeDocument.body.find(".notice-container") ?? activeDocument.body.createDiv({ cls: "notice-container" });
    this.containerEl = stack.createDiv({ cls: "notice" });
    this.messageEl = this.containerEl.createDiv({ cls: "notice-message" });
    this.setMessage(message);
    this.containerEl.addEventListener("click", () => this.hide());
    if (duration > 0) this.timer = window.setTimeout(() => this.hide(), duration);
    shown.push(this);
  }

  setMessage(message: string | DocumentFragment): this {
    this.messageEl.setText(message);
    return this;
  }

  hide(): void {
    window.clearTimeout(this.timer);
    this.containerEl.remove();
  }
}
