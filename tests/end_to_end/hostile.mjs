/** Texts that would turn into markup, script or a command if a program took them for more than text. */

/** Each sets `window.__pwned` if it is run in one way or another. */
export const PAYLOADS = [
  "<script>window.__pwned=1</script>",
  "<ScRiPt>window.__pwned=1</sCrIpT>",
  "</title><script>window.__pwned=1</script>",
  "</textarea><script>window.__pwned=1</script>",
  "--><script>window.__pwned=1</script><!--",
  "<scr<script>ipt>window.__pwned=1</scr</script>ipt>",
  "<img src=x onerror=window.__pwned=1>",
  "<img src=x onerror=\"window.__pwned=1\">",
  "\"><img src=x onerror=window.__pwned=1>",
  "'><img src=x onerror=window.__pwned=1>",
  "<img/src=x/onerror=window.__pwned=1>",
  "<<img src=x onerror=window.__pwned=1>",
  "<image href=x onerror=window.__pwned=1>",
  "<svg onload=window.__pwned=1>",
  "<svg><script>window.__pwned=1</script></svg>",
  "<svg><animate onbegin=window.__pwned=1 attributeName=x dur=1s>",
  "<svg><foreignObject><iframe srcdoc='<script>parent.__pwned=1</script>'></foreignObject></svg>",
  "<math><mtext><script>window.__pwned=1</script></mtext></math>",
  "<math><a xlink:href=javascript:window.__pwned=1>click</a></math>",
  "<iframe src=javascript:parent.__pwned=1></iframe>",
  "<iframe srcdoc=\"<script>parent.__pwned=1</script>\"></iframe>",
  "<object data=javascript:window.__pwned=1></object>",
  "<embed src=javascript:window.__pwned=1>",
  "<body onload=window.__pwned=1>",
  "<video><source onerror=window.__pwned=1></video>",
  "<audio src=x onerror=window.__pwned=1>",
  "<details open ontoggle=window.__pwned=1>",
  "<input autofocus onfocus=window.__pwned=1>",
  "<select autofocus onfocus=window.__pwned=1>",
  "<marquee onstart=window.__pwned=1>",
  "<form action=javascript:window.__pwned=1><button>go</button></form>",
  "<a href=javascript:window.__pwned=1>click</a>",
  "[click](javascript:window.__pwned=1)",
  "![x](x \"onerror=window.__pwned=1\")",
  "<base href=//attacker.test/>",
  "<link rel=stylesheet href=//attacker.test/x.css>",
  "<style>@import '//attacker.test/x.css';*{display:none}</style>",
  "<meta http-equiv=refresh content='0;url=javascript:window.__pwned=1'>",
  "<template><img src=x onerror=window.__pwned=1></template>",
  "<noscript><p title=\"</noscript><img src=x onerror=window.__pwned=1>\">",
  "<div style=position:fixed;inset:0;background:red>all over</div>",
  "&lt;img src=x onerror=window.__pwned=1&gt;",
  "&#60;script&#62;window.__pwned=1&#60;/script&#62;",
  "\\u003cimg src=x onerror=window.__pwned=1\\u003e",
  "{{constructor.constructor('window.__pwned=1')()}}",
  "${window.__pwned=1}",
  "<% window.__pwned=1 %>",
  "`= window.__pwned=1`",
  "$= window.__pwned=1",
  "\u202Egpj.exe<img src=x onerror=window.__pwned=1>",
  "\u0000<img src=x onerror=window.__pwned=1>",
  "<!--[if true]><script>window.__pwned=1</script><![endif]-->",
  "<![CDATA[<script>window.__pwned=1</script>]]>",
  "<?xml version=\"1.0\"?><script>window.__pwned=1</script>",
  "__proto__",
];

/** In every one of these notes stands this word. */
export const COMMON_WORD = "payloadish";

/**
 * A note for each payload, which stands in each field that comes to the pane.
 *
 * @returns {Record<string, string>} path -> text
 */
export function hostileNotes() {
  return Object.fromEntries(PAYLOADS.map((payload, at) => [`Hostile/${fileName(payload)} ${at}.md`, noteOf(payload, at)]));
}

/**
 * @param {string} payload
 * @param {number} at every third has its title in the front matter, every third in a heading, the rest in the file's name
 */
function noteOf(payload, at) {
  const quoted = JSON.stringify(payload);
  const title = at % 3 === 0 ? `title: ${quoted}\n` : "";
  const heading = at % 3 === 1 ? `# ${payload}\n\n` : "";
  return `---\n${title}aliases: [${quoted}]\ntags: [${quoted}]\ntype: ${quoted}\n---\n${heading}## Under ${payload}\n\nThe word ${COMMON_WORD} beside ${payload} and a #tag/${payload}\n`;
}

/**
 * As much of a payload as a file may be called on this system.
 *
 * @param {string} payload
 */
function fileName(payload) {
  const forbidden = process.platform === "win32" ? /[<>:"/\\|?*\0-\x1f]/g : /[/\\\0]/g; // Obsidian takes no backslash either
  return payload.replace(forbidden, "-").slice(0, 80);
}

/** Blocks that other plugins would run, in a note that is found by its word. */
export const RUNNABLE_NOTE = [
  "# Runnable",
  "A blockish note.",
  "```dataviewjs\nwindow.__pwned = 1\n```",
  "```dataview\nTABLE file.name\n```",
  "<%* window.__pwned = 1 %>",
  "`$= window.__pwned = 1`",
].join("\n\n");

/**
 * A note that loads something from an address in every way there is, embeds another note, and has blocks that other plugins
 * run; it is found by `lookish`.
 *
 * @param {string} address
 */
export function loadingNote(address) {
  return [
    "# Loading",
    "A lookish note with **bold** words.",
    `![picture](${address}/markdown.png) ![[Embedded]] ![[remote.png]]`,
    `<img src="${address}/img.png" srcset="${address}/srcset.png 2x">`,
    `<iframe src="${address}/frame.html"></iframe>`,
    `<video src="${address}/clip.mp4" poster="${address}/poster.png" autoplay></video><audio src="${address}/sound.mp3" autoplay></audio>`,
    `<link rel="stylesheet" href="${address}/style.css"><link rel="prefetch" href="${address}/prefetch">`,
    `<object data="${address}/object.pdf"></object><div style="background: url(${address}/background.png)">a box</div>`,
    `<style>@import url(${address}/imported.css);</style>`,
    "```dataviewjs\nwindow.__pwned = 1\n```",
    "```dataview\nTABLE file.name\n```",
    "<%* window.__pwned = 1 %>",
    "`$= window.__pwned = 1`",
    `> [!note] Callout\n> - [ ] a task with a [link](${address}/link)\n\n| a | b |\n|---|---|\n| ![c](${address}/cell.png) | d |`,
  ].join("\n\n");
}

/**
 * Credentials of many makers, put together here so that none stands in the repository.
 *
 * @returns {Record<string, string>} name -> credential
 */
export function credentials() {
  const letters = (/** @type {number} */ count) => Array.from({ length: count }, (_, at) => "aZ3kQ9xW7mB2rT5v"[(at * 7 + count) % 16]).join("");
  const hex = (/** @type {number} */ count) => Array.from({ length: count }, (_, at) => "0123456789abcdef"[(at * 11 + count) % 16]).join("");
  const join = (/** @type {string[]} */ ...parts) => parts.join("");
  return {
    github: join("gh", "p_", letters(36)),
    gitlab: join("gl", "pat-", letters(20)),
    slack: join("xo", "xb-", "123456789012-", "123456789012-", letters(24)),
    stripe: join("sk", "_live_", letters(24)),
    aws: join("AK", "IA", "QWERTYUIOP234567"),
    google: join("AI", "za", letters(35)),
    sendgrid: join("S", "G.", letters(22), ".", letters(43)),
    npm: join("np", "m_", letters(36)),
    huggingface: join("h", "f_", letters(34).replace(/\d/g, "q")),
    digitalocean: join("do", "p_v1_", hex(64)),
    anthropic: join("sk-", "ant-", "api03-", letters(93), "AA"),
    url: join("postgres", "://app:", letters(18), "@db.internal/main"),
    jwt: join("ey", "JhbGciOiJIUzI1NiJ9.", "ey", "JzdWIiOiIxMjM0NTY3ODkwIn0.", letters(43)),
    privateKey: join("-----BEGIN ", "RSA PRIVATE KEY-----\n", letters(64), "\n", letters(63), "=\n-----END ", "RSA PRIVATE KEY-----"),
  };
}
