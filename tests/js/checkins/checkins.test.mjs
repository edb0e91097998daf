import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";

import * as names from "../../../static/js/checkins/grid_cells.js";
import { densityPixels } from "../../../static/js/checkins/grid_cells.js";
import { bestOf } from "../../../static/js/checkins/best_model.js";
import { boundsOf, placeOf, polygonOf } from "../../../static/js/checkins/cell_places.js";
import * as evaluation from "../../../static/js/checkins/evaluation.js";
import { simulated } from "../../../static/js/checkins/evaluation.js";
import { check, gives, rows } from "../cases.mjs";
import { draws } from "../support.mjs";

const cell = (west, south, rank = 1) => ({
  ...{ rank, cell: 0, count: 0, west, south },
  ...{ east: west + 0.5, north: south + 0.25 },
});

test("the centre of a cell, north or south, east or west; the box around cells is the least that holds all", () => {
  gives((west, south) => placeOf(cell(west, south)), {
    "-74.25, 40.5": "40.6250° N, 74.0000° W",
    "151, -34": "33.8750° S, 151.2500° E",
    "-0.25, -0.125": "0.0000° N, 0.0000° E",
  });
  deepEqual(boundsOf([cell(3, 5), cell(1, 6), cell(2, 4)]), [1, 4, 3.5, 6.25]);
});

test("a cell as a closed zone; the first ten have their rank", () => {
  const { coordinates, label } = polygonOf(cell(1, 2, 10));
  deepEqual(coordinates, [rows("1 2, 1.5 2, 1.5 2.25, 1 2.25, 1 2")]);
  deepEqual([label, polygonOf(cell(1, 2, 11)).label], ["10", ""]);
});

test("opacity is the square root of the share of the largest", () => {
  const of = (...densities) => [...densityPixels(densities, "#102030")].filter((_, i) => i % 4 === 3);
  deepEqual([of(4, 1, 0, -3), of(0, -1), of(0.4, 0.1), of()], [[150, 75, 0, 0], [0, 0], [150, 75], []]);
  deepEqual([...densityPixels([4, 1], "#102030")], [16, 32, 48, 150, 16, 32, 48, 75]);
  const draw = draws(9);
  const opacities = of(...draw.list(100, () => draw.real(-1, 10)).sort((a, b) => a - b));
  opacities.slice(1).forEach((opacity, i) => ok(opacity >= opacities[i], "a denser cell is never fainter"));
  equal(opacities.at(-1), 150);
});

const VALUES = { "a 2": 0.4, "a 1": 0.3, "checkin-nearest 1": 0.45, "checkin-nearest 2": 0.45, "b 1": 0.5 };
const known = evaluation.evaluationOf(
  Object.entries(VALUES).map(([key, value]) => {
    const [model, epsilon] = key.split(" ");
    return { model, unit: "user", metric: "hit", epsilon: Number(epsilon), value, low: null, high: null };
  }),
);
const of = (mechanism, epsilon, ...unusual) => ({
  title: mechanism.toUpperCase(),
  ...{ mechanism, epsilon, unit: "user", unusual },
});
const byRecord = { ...of("a", 1), unit: "record" };
const measure = { name: "hit", short: "HR" };

test("shares as tables show them", () => {
  gives(evaluation.shareText, { 0: ".000", 0.0621: ".062", 0.9994: ".999", 0.99951: "1", 1: "1" });
  gives(evaluation.shareText, { null: "–", undefined: "–" });
  gives(evaluation.signed, { 0.015: "+.015", "-0.028": "−.028", 0: "+.000" });
});

test("a value is of the model, the level and the unit; a line for each model, by level", () => {
  const value = (model, release) => known.value(model, "hit", release);
  check(value, [
    [["a", of("a", 1)], 0.3],
    [["a", of("a", 1 + 1e-12)], 0.3],
    [["a", of("a", 1.001)], null],
    [["a", of("a", 3)], null],
    [["c", of("c", 1)], null],
    [["a", byRecord], null],
    [["a", of("a", 1, "Order")], null],
    [["checkin-nearest", of("a", 1, "Order")], 0.45],
  ]);
  equal(known.value("a", "recall", of("a", 1)), null);
  deepEqual(known.lines("hit", "user"), [
    { id: "a", x: [1, 2], y: [0.3, 0.4] },
    { id: "checkin-nearest", x: [1, 2], y: [0.45, 0.45] },
    { id: "b", x: [1], y: [0.5] },
  ]);
  deepEqual(known.lines("hit", "record"), []);
});

test("a release against the baselines, or why it is not", () => {
  const baselines = [
    { name: "checkin-nearest", title: "Nearest" },
    { name: "none", title: "None" },
  ];
  const text = (release) => evaluation.comparisonText(known, release, measure, baselines);
  check(text, [
    [[of("a", 1)], "A .300 · −.150 against Nearest"],
    [[of("b", 1)], "B .500 · +.050 against Nearest"],
    [[of("checkin-nearest", 1)], "CHECKIN-NEAREST .450"],
    [[of("a", 3)], "A was not evaluated at ε = 3 per user."],
    [[byRecord], "A was not evaluated at ε = 1 per check-in."],
    [[of("a", 1, "Order", "Height")], "A was not evaluated: the evaluation has other values of Order, Height."],
  ]);
});

test("a release below the public baseline is called so, another one is not", () => {
  const text = (name, epsilon) => evaluation.worseText(known, of(name, epsilon), measure);
  const worse = "A at ε = 1 per user is worse than the public baseline: the nearest cell, which reads no check-ins";
  equal(text("a", 1), `${worse}, has HR .450 against .300.`);
  gives(text, { "b, 1": "", "c, 1": "", "a, 3": "", "checkin-nearest, 2": "" });
});

test("an evaluation is of the same grid in all its numbers", () => {
  const spec = { west: 1, south: 2, east: 3, north: 4, side: 5 };
  const evaluations = [{ grid: [1, 2, 3, 4, 6] }, { grid: [1, 2, 3, 4, 5], name: "this" }];
  const found = (changes, some = evaluations) =>
    evaluation.evaluationFor({ evaluations: some }, { spec: { ...spec, ...changes } });
  equal(found({}).name, "this");
  for (const name of Object.keys(spec)) equal(found({ [name]: 9 }, evaluations.slice(1)), null, name);
});

const grid = { columns: 30, rows: 4, west: 0, south: 0, east: 30, north: 8 };

test("columns have letters from the west, rows have numbers from the north", () => {
  gives(names.columnName, { 0: "A", 25: "Z", 26: "AA", 51: "AZ", 52: "BA", 701: "ZZ", 702: "AAA" });
  gives((at) => names.cellName(grid, at), { 0: "A4", 25: "Z4", 26: "AA4", 29: "AD4", 90: "A1", 119: "AD1" });
});

test("a name leads to its cell; anything else to none", () => {
  const cellOf = (name) => names.cellOf(grid, name);
  gives(cellOf, { A1: 90, a4: 0, " AD 1 ": 119, AE1: -1, A0: -1, A5: -1, "1A": -1, A1B: -1, "A 1 1": -1, AAAA1: -1 });
  deepEqual([cellOf(""), cellOf("7")], [-1, -1]);
});

test("every cell of a grid is found by its name, which has the names of the axes", () => {
  const draw = draws(8);
  const sizes = [...rows("30 4, 1 1, 800 3, 3 700"), ...draw.list(5, () => [draw.int(1, 60), draw.int(1, 60)])];
  for (const [columns, rows] of sizes) {
    const axes = names.axisNames({ columns, rows });
    deepEqual([axes.columns.length, axes.rows.length], [columns, rows]);
    for (let at = 0; at < columns * rows; at += 1) {
      const name = names.cellName({ columns, rows }, at);
      equal(names.cellOf({ columns, rows }, name), at, `${columns} × ${rows}`);
      equal(name, `${axes.columns[at % columns]}${axes.rows[Math.floor(at / columns)]}`);
    }
  }
  deepEqual(names.axisNames(grid).rows, ["4", "3", "2", "1"]);
});

test("arrows lead to the next cell and stay at the edges", () => {
  const next = (at, key) => names.neighbour(grid, at, `Arrow${key}`);
  gives(next, { "0, Up": 30, "0, Right": 1, "0, Down": 0, "0, Left": 0, "119, Up": 119, "119, Right": 119 });
  gives(next, { "29, Right": 29, "75, Down": 45, "45, Left": 44 });
  equal(names.neighbour(grid, 0, "x"), 0);
});

test("boxes of cells, south-west first, tile the grid", () => {
  gives((at) => names.boxOf(grid, at), { 31: [1, 2, 2, 4], 0: [0, 0, 1, 2], 119: [29, 6, 30, 8] });
  deepEqual(names.middleOf(grid, 31), [1.5, 3]);
  const far = { ...grid, west: -74, east: -73, south: 40, north: 41 };
  deepEqual([...names.boxOf(far, 0).slice(0, 2), ...names.boxOf(far, 119).slice(2)], [-74, 40, -73, 41]);
});

test("a model is simulated with the parameters shown where it has them, else with its own", () => {
  const fields = Object.entries({ epsilon: 9, own: 2, none: null }).map(([name, value]) => ({ name, value }));
  const found = simulated(
    [
      { name: "m", fields },
      { name: "n", fields: [] },
    ],
    { epsilon: 1, other: 3, none: 0 },
  );
  deepEqual(found, [{ name: "m", epsilon: 1, own: 2, none: 0 }, { name: "n" }]);
});

test("the best model has the best verdict, then the most hits; what is not known is none", () => {
  const of = (...forecasts) => {
    const all = forecasts.map(([hits, name]) => ({ hits, verdict: name && { name } }));
    const best = bestOf(["a", "b", "c"], all);
    return best && `${best.release} ${best.hits}`;
  };
  equal(of([90, "coarse"], [80, "usable"], [85, "usable"]), "c 85");
  equal(of([300, "person-exposed"], [null, null], [10, "worse-than-free"]), "c 10");
  equal(of([null, null], [null, null], [null, null]), null);
});
