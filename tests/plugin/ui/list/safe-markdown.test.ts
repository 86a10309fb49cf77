// @vitest-environment jsdom
import { expect, test } from "vitest";
import { drawMarkdown } from "../../../../plugin/ui/list/safe-markdown";
import { emptyBody } from "../dom";

function drawn(...lines: readonly string[]): string {
  const el = emptyBody().createDiv();
  drawMarkdown(el, lines);
  return el.innerHTML;
}

test.each([
  ["a heading, and text on two lines", ["## Air *supply* ##", "one", "two", "", "three"], "<h2>Air <em>supply</em></h2><p>one<br>two</p><p>three</p>"],
  ["emphasis of all kinds", ["**a** _b_ ***c*** ~~d~~ ==e== `f*g*`"], "<p><strong>a</strong> <em>b</em> <strong><em>c</em></strong> <del>d</del> <mark>e</mark> <code>f*g*</code></p>"],
  ["links, which lead nowhere", ["[[Note|the **note**]], [x](y.md)"], '<p><span class="quarry-link">the </span><span class="quarry-link"><strong>note</strong></span>, <span class="quarry-link">x</span></p>'],
  ["a list in a list, tasks, and what follows", ["- one", "  1. first", "  2. second", "- [x] done", "after"], '<ul><li>one<ol start="1"><li>first</li><li>second</li></ol></li><li class="quarry-task">☑ done</li></ul><p>after</p>'],
  ["several blocks in an item", ["3. one", "", "   two", "   > three"], '<ol start="3"><li>one<p>two</p><blockquote><p>three</p></blockquote></li></ol>'],
  ["a callout by its title, or its kind", ["> [!tip]- Glue", "> warm", "", "> [!note]"], "<blockquote><p><strong>Glue</strong><br>warm</p></blockquote><blockquote><p><strong>note</strong></p></blockquote>"],
  ["code as it is, to the fence that closes it", ["~~~dataviewjs", "# no heading", "```", "~~~", "text"], "<pre><code># no heading\n```</code></pre><p>text</p>"],
  ["code that nothing closes", ["```js", "run()"], "<pre><code>run()</code></pre>"],
  ["a table with a bar in a cell", ["| a | b |", "|---|:-:|", "| 1 \\| 2 | **3** |"], "<table><tr><th>a</th><th>b</th></tr><tr><td>1 | 2</td><td><strong>3</strong></td></tr></table>"],
  ["a rule, not a list", ["above", "", "- - -", "below"], "<p>above</p><hr><p>below</p>"],
  ["HTML and comments not at all", ["a <b onclick=x>bold</b> %%hidden%% word <img src=x onerror=y>"], "<p>a bold word</p>"],
])("%s", (_, lines, html) => {
  expect(drawn(...lines)).toBe(html);
});

test("a note of nothing but signs that nest ends", () => {
  expect(drawn("> ".repeat(2_000)).length).toBeGreaterThan(0);
  expect(drawn("- ".repeat(2_000)).length).toBeGreaterThan(0);
});

test("a heading of thousands of spaces and a line end that is none is read once", () => {
  expect(drawn(`# a${" ".repeat(3_900)}\rb`)).toBe("<h1>a b</h1>"); // took minutes
});

test("emphasis in the same emphasis is drawn once", () => {
  const el = emptyBody().createDiv();
  drawMarkdown(el, ["*a ".repeat(600) + "a* ".repeat(600)]);
  expect(el.querySelector("em em")).toBeNull();
});
