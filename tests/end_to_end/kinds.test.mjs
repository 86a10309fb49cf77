/** Canvases and PDF files are found, say what they are, and open; a canvas that is saved is searchable at once. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startProduct, until } from "./product.mjs";

/** @param {string} text */
const canvas = (text) => JSON.stringify({ nodes: [{ id: "0123456789abcdef", type: "text", text, x: 0, y: 0, width: 250, height: 60 }], edges: [] });

/**
 * A PDF file of two pages, in the letters of which it consists.
 * @param {readonly string[]} pages
 */
function pdf(pages) {
  const objects = ["<< /Type /Catalog /Pages 2 0 R >>", `<< /Type /Pages /Kids [${pages.map((_, at) => `${4 + 2 * at} 0 R`).join(" ")}] /Count ${pages.length} >>`, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"];
  pages.forEach((page, at) => {
    const stream = `BT /F1 12 Tf 72 720 Td (${page}) Tj ET`;
    objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * at} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`);
    objects.push(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
  });
  let written = "%PDF-1.4\n";
  const starts = objects.map((body, at) => {
    const start = written.length;
    written += `${at + 1} 0 obj\n${body}\nendobj\n`;
    return start;
  });
  const rows = starts.map((start) => `${String(start).padStart(10, "0")} 00000 n \n`).join("");
  return `${written}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${written.length}\n%%EOF\n`;
}

const NOTES = {
  ".quarry.toml": "[files]\npdf = true\n",
  "Boat.md": "# Boat\n\nThe keel was painted in spring.\n",
  "Plan.canvas": canvas("# Hull\nThe keel of the dinghy is laid in autumn, once the shed is dry."),
  "Manual.pdf": pdf(["General remarks on the care of boats", "The keel bolts are tightened every second winter"]),
};

const product = await startProduct({ notes: NOTES });
const { host, page } = product;

describe("files that are no notes", () => {
  /** @param {string} path */
  const row = (path) => page.locator(".quarry-search .quarry-hit, .quarry-hit", { has: page.locator(`.quarry-title[title="${path}"]`) }).first();

  test("rows say what they are and where in the file the passage stands", async () => {
    await product.search("keel");
    await row("Manual.pdf").waitFor();

    assert.equal(await row("Plan.canvas").locator(".quarry-kind").innerText(), "canvas");
    assert.equal(await row("Plan.canvas").locator(".quarry-title").innerText(), "Plan");
    assert.match(await row("Plan.canvas").locator(".quarry-trail").innerText(), /Hull/);
    assert.equal(await row("Manual.pdf").locator(".quarry-kind").innerText(), "PDF");
    assert.equal(await row("Manual.pdf").locator(".quarry-trail").innerText(), "page 2");
    assert.equal(await row("Boat.md").locator(".quarry-kind").isVisible(), false);
  });

  test("one kind can be asked for", async () => {
    const rows = await product.search("keel kind:canvas");

    assert.deepEqual(rows.map(({ title }) => title), ["Plan"]);
  });

  test("a canvas that is saved is found by what it says now", async () => {
    await host.write("Plan.canvas", canvas("# Hull\nThe mast of the dinghy is stepped in May, when the harbour opens."));
    await until(async () => (await product.search("mast harbour")).some(({ title }) => title === "Plan"), "the saved canvas to be found");
  });
});
