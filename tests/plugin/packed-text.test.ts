import { expect, test } from "vitest";
import { packed } from "../../esbuild.locales.mjs";
import { unpackText } from "../../plugin/packed-text";
import de from "../../sidecar/quarry/locales/de.json";
import en from "../../sidecar/quarry/locales/en.json";

test("packed English is what it was", () => {
  expect(JSON.parse(unpackText(packed(en)))).toEqual(en);
});

test("a packed translation has its texts in the order of English's keys", () => {
  const translation = { "b.text": "zwei", "a.count": { one: "eins", other: "viele" } };

  expect(JSON.parse(unpackText(packed({ "a.count": "", "b.text": "" }, translation)))).toEqual([{ one: "eins", other: "viele" }, "zwei"]);
});

test("packing a translation makes it a third", () => {
  expect(packed(en, de).length).toBeLessThan(JSON.stringify(de).length / 3);
});
