import assert from "node:assert/strict";
import { test } from "node:test";

import * as people from "../../../static/js/trajectory/people.js";
import { check } from "../cases.mjs";
import { draws } from "../support.mjs";
import { track } from "./two_people.mjs";

const one = (index, name, person) => ({ index, name, person, points: 5 });
const many = (n) => Array.from({ length: n }, (_, i) => one(i, `n${i}`, `n${i}`));

test("series of one person share a colour and are named apart", () => {
  const named = (...series) => people.peopleOf(series).map(({ name, number }) => [name, number]);
  check(named, [
    [
      [one(0, "a", "a"), one(1, "b", "b"), one(2, "b2", "b"), one(3, "", "c")],
      [
        ["a", 0],
        ["b", 1],
        ["b · b2", 1],
        ["c · Series 4", 2],
      ],
    ],
    [
      [one(0, "x", "p"), one(1, "", "p")],
      [
        ["x", 0],
        ["Series 2", 1],
      ],
    ],
  ]);
});

test("the eleventh person has the first colour again", () => {
  const found = people.peopleOf(many(12));
  assert.deepEqual(
    found.slice(9).map(({ number }) => number),
    [9, 0, 1],
  );
  assert.equal(found[10].colour, people.COLOURS[0]);
  assert.deepEqual([found[11].index, found[11].points], [11, 5]);
});

test("what all of them are called, and their colours", () => {
  const shared = [one(0, "a", "x"), one(1, "b", "x")];
  check(people.allText, [
    [[many(2)], "All 2 people"],
    [[shared], "All 2 series"],
  ]);
  check(people.coloursText, [
    [[many(2)], "Each colour is a person."],
    [[many(10)], "Each colour is a person."],
    [[many(11)], "Each colour is a person; colours repeat after 10 people."],
    [[shared], "Each colour is a series."],
    [[[...shared, one(2, "c", "y")]], "Each colour is a person."],
  ]);
  check(people.nounOf, [
    [[many(3)], "person"],
    [[[...many(3), one(3, "again", "n0")]], "series"],
  ]);
});

test("lines of many people are thinner", () => assert.ok(people.lineWidth(51) < people.lineWidth(50)));

test("colours are distinct and seen on the ground of both themes", () => {
  const luminance = (hex) => {
    const parts = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
    const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  for (const { light, dark } of people.COLOURS) {
    assert.ok(contrast(light, "#f1eee8") >= 3, light);
    assert.ok(contrast(dark, "#1a1917") >= 3, dark);
  }
  assert.equal(new Set(people.COLOURS.map(({ light }) => light)).size, 10);
});

test("the series of a point, an empty one among them, and the points of a series", () => {
  check(
    (i) => people.seriesAt(track, i),
    [
      [[0], 0],
      [[2], 0],
      [[3], 2],
      [[4], 2],
    ],
  );
  const parts = [0, 1, 2].map((k) => people.seriesPart(track, k));
  assert.deepEqual(
    parts.map(({ n }) => n),
    [3, 0, 2],
  );
  assert.deepEqual([parts[2].lonAt(0), parts[2].latAt(0)], [0, 5]);
});

test("runs of events as points of a reduced track; where none is left, the point before", () =>
  check(
    (...runs) => people.runsOfPoints(track, runs),
    [
      [[[4, 10]], [[1, 3]]],
      [[[5, 7]], [[1, 2]]],
      [[[10, 20]], [[3, 5]]],
      [[[0, 1]], [[0, 1]]],
    ],
  ));

test("runs of points are never empty, within the track, and hold exactly the events of their run", () => {
  const draw = draws(7);
  for (let i = 0; i < 300; i += 1) {
    const event = Int32Array.from(
      [...new Set(draw.list(draw.int(1, 20), () => draw.int(0, 60)))].sort((a, b) => a - b),
    );
    const start = draw.int(0, 60);
    const end = draw.int(start + 1, 70);
    const [[first, after]] = people.runsOfPoints({ event }, [[start, end]]);
    const inside = [...event.keys()].filter((k) => event[k] >= start && event[k] < end);
    assert.ok(first >= 0 && first < after && after <= event.length, `${first} to ${after}`);
    if (inside.length) assert.deepEqual([first, after], [inside[0], Number(inside.at(-1)) + 1]);
  }
});

test("runs over the whole dataset as they lie in one series", () => {
  const of = (index) =>
    people.runsOfSeries(
      [
        [0, 2],
        [4, 9],
        [9, 12],
      ],
      [3, 5, 4],
      index,
    );
  assert.deepEqual(
    [of(0), of(1), of(2)],
    [
      [[0, 2]],
      [[1, 5]],
      [
        [0, 1],
        [1, 4],
      ],
    ],
  );
});
