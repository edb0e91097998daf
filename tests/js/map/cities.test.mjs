import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { findCities, loadCities, plain } from "../../../static/js/map/cities.js";
import { setGlobals } from "../support.mjs";

const FOLDER = new URL("../../../static/base-map/", import.meta.url);
const name = readdirSync(FOLDER).find((one) => one.startsWith("cities."));
let requests = 0;
let status = 503;
setGlobals({
  fetch: async () => {
    requests += 1;
    return new Response(readFileSync(new URL(String(name), FOLDER)), { status });
  },
});

test("letters without accents, small and once apart", () => {
  const cases = {
    "  Zürich ": "zurich",
    "SÃO  Paulo": "sao paulo",
    Łódź: "lodz",
    Großstadt: "grossstadt",
    "Xi’an": "xi'an",
    Ærø: "aero",
  };
  for (const [text, letters] of Object.entries(cases)) assert.equal(plain(text), letters);
});

test("a list that could not be loaded is requested again, one that was is not", async () => {
  await assert.rejects(loadCities("/cities"), /status 503/);
  status = 200;
  const all = await loadCities("/cities");
  assert.equal(await loadCities("/cities"), all);
  assert.equal(requests, 2);
  assert.ok(all.length > 1000);
  const paris = all.find((one) => one.name === "Paris");
  assert.equal(paris?.country, "France");
  assert.ok(Math.hypot(Number(paris?.lon) - 2.35, Number(paris?.lat) - 48.86) < 0.1);
  assert.ok(
    all.every(({ rank }, i) => !i || rank >= all[i - 1].rank),
    "the most important first",
  );
});

test("cities are found without accents and by other names", async () => {
  const all = await loadCities("/cities");
  const cases = {
    ...{
      zurich: "Zürich",
      Zürich: "Zürich",
      ZÜR: "Zürich",
      münchen: "Munich",
      koln: "Cologne",
      "sao pau": "Sao Paulo",
    },
    ...{ kobenhavn: "København", york: "York", "new yor": "New York", lyon: "Lyon" },
  };
  for (const [text, city] of Object.entries(cases)) assert.equal(findCities(all, text)[0]?.name, city, text);
  for (const text of ["", "qqq", "*", "   "]) assert.deepEqual(findCities(all, text), [], text);
});

test("names that begin with the text come before those with a later part, at most so many", () => {
  const city = (name) => ({ name, keys: [plain(name)] });
  const all = ["New York", "York", "Yorkville", "Ork"].map(city);
  const found = (text, most = 8) => findCities(all, text, most).map(({ name }) => name);
  assert.deepEqual(found("york"), ["York", "Yorkville", "New York"]);
  assert.deepEqual(found("york", 2), ["York", "Yorkville"]);
  assert.deepEqual(found("york", 1), ["York"]);
  assert.deepEqual(found("ork"), ["Ork"]);
});
