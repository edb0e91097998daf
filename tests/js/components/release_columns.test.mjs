/* The cells of a row of a table of releases follow from the columns that the page lists. */

import { deepEqual } from "node:assert/strict";
import { test } from "node:test";

import { spaced } from "../cases.mjs";
import { setElements } from "../elements.mjs";

setElements();
const { columnCells } = await import("../../../static/js/components/release_columns.js");

test("a cell shows its value in its unit, numbers by their name, and nothing for none", () => {
  const columns = [
    { key: "mae_m", title: "Mean error", show: "metres" },
    { key: "verdict", title: "Verdict", show: "verdict" },
    { key: "budget", title: "Budget, ε", show: "span" },
    { key: "loss", title: "Loss", show: "number" },
  ];
  const values = {
    mae_m: 1230,
    verdict: { name: "usable", title: "usable" },
    budget: { min: 0.5, max: 1 },
    loss: null,
  };
  const cells = columnCells(columns, "a", values);
  deepEqual(
    cells.map((cell) => [cell.getAttribute("data-label"), spaced(cell.textContent)]),
    [
      ["Mean error", "1.23 km"],
      ["Verdict", "● usable"],
      ["Budget, ε", "0.5 – 1"],
      ["Loss", ""],
    ],
  );
  deepEqual(
    cells.map((cell) => cell.children[0]?.dataset?.quantity ?? ""),
    ["mae_m:a", "", "", ""],
  );
  deepEqual(columnCells([columns[2]], "a", { budget: { min: 2, max: 2 } })[0].textContent, "2");
});
