import assert from "node:assert/strict";
import { test } from "node:test";

import { layersOf } from "../../../static/js/map/vector_tile.js";
import { draws } from "../support.mjs";

// A writer of vector tiles, after https://github.com/mapbox/vector-tile-spec/tree/master/2.1

const varint = (value) => (value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]);
const field = (number, bytes) => [...varint(number * 8 + 2), ...varint(bytes.length), ...bytes];
const whole = (number, value) => [...varint(number * 8), ...varint(value)];
const text = (value) => [...new TextEncoder().encode(value)];
const zigzag = (value) => (value < 0 ? -2 * value - 1 : 2 * value);
const command = (id, count) => id + 8 * count;

/** The commands of rings of [x, y], each closed where it is an area. */
function geometry(rings, isArea = false) {
  let [x, y] = [0, 0];
  const to = ([a, b]) => {
    const moved = [zigzag(a - x), zigzag(b - y)];
    [x, y] = [a, b];
    return moved;
  };
  return rings.flatMap(([first, ...rest]) => [
    ...[command(1, 1), ...to(first)],
    ...(rest.length ? [command(2, rest.length), ...rest.flatMap(to)] : []),
    ...(isArea ? [command(7, 1)] : []),
  ]);
}
const feature = (type, commands, tags = []) => [
  ...field(2, tags.flatMap(varint)),
  ...whole(3, type),
  ...field(4, commands.flatMap(varint)),
];
const layer = ({ name, features, keys = [], values = [], extent = [] }) =>
  field(3, [
    ...field(1, text(name)),
    ...features.flatMap((one) => field(2, one)),
    ...keys.flatMap((key) => field(3, text(key))),
    ...values.flatMap((value) => field(4, value)),
    ...extent,
  ]);
const read = (bytes) => layersOf(Uint8Array.from(bytes).buffer);
const ringsOf = (commands, type = 2) =>
  read(layer({ name: "a", features: [feature(type, commands)] }))[0].features[0].rings.map((ring) => [...ring]);

test("lines are read as they were written, also far and negative ones", () => {
  const draw = draws(51);
  for (let k = 0; k < 100; k += 1) {
    const coordinate = () => draw.int(-(10 ** draw.int(1, 8)), 10 ** draw.int(1, 8));
    const rings = draw.list(draw.int(1, 4), () => draw.list(draw.int(1, 200), () => [coordinate(), coordinate()]));
    assert.deepEqual(
      ringsOf(geometry(rings)),
      rings.map((ring) => ring.flat()),
    );
  }
});

test("the specification's example of a polygon with a hole", () => {
  const commands = [
    9, 0, 0, 26, 20, 0, 0, 20, 19, 0, 15, 9, 22, 2, 26, 18, 0, 0, 18, 17, 0, 15, 9, 4, 13, 26, 0, 8, 8, 0, 0, 7, 15,
  ];
  assert.deepEqual(ringsOf(commands, 3), [
    [0, 0, 10, 0, 10, 10, 0, 10, 0, 0],
    [11, 11, 20, 11, 20, 20, 11, 20, 11, 11],
    [13, 13, 13, 17, 17, 17, 17, 13, 13, 13],
  ]);
});

test("several points are rings of their own", () => {
  assert.deepEqual(ringsOf([command(1, 2), zigzag(5), zigzag(7), zigzag(-2), zigzag(-5)], 1), [
    [5, 7],
    [3, 2],
  ]);
});

test("an area returns to where it began", () => {
  assert.deepEqual(
    ringsOf(
      geometry(
        [
          [
            [3, 4],
            [5, 4],
            [5, 6],
          ],
        ],
        true,
      ),
      3,
    ),
    [[3, 4, 5, 4, 5, 6, 3, 4]],
  );
});

test("layers have names and extents, features their type", () => {
  const bytes = [
    ...layer({
      name: "earth",
      features: [
        feature(
          3,
          geometry([
            [
              [0, 0],
              [1, 1],
            ],
          ]),
        ),
      ],
    }),
    ...layer({ name: "Straßen", features: [], extent: whole(5, 512) }),
  ];
  const found = read(bytes);
  assert.deepEqual(
    found.map(({ name, extent, features }) => [name, extent, features.length]),
    [
      ["earth", 4096, 1],
      ["Straßen", 512, 0],
    ],
  );
  assert.equal(found[0].features[0].type, 3);
});

test("a feature's kind is the first of the properties that name one, and a text", () => {
  const string = (value) => field(1, text(value));
  const kinds = (tags) =>
    read(
      layer({
        name: "roads",
        features: [
          feature(
            2,
            geometry([
              [
                [0, 0],
                [1, 1],
              ],
            ]),
            tags,
          ),
        ],
        keys: ["name", "class", "kind", "oneway"],
        values: [string("Rue"), string("primary"), string("motorway"), whole(5, 1), string("")],
      }),
    )[0].features[0].kind;
  assert.equal(kinds([0, 0, 1, 1]), "primary");
  assert.equal(kinds([1, 1, 2, 2]), "motorway");
  assert.equal(kinds([1, 1, 2, 4]), "primary");
  assert.equal(kinds([0, 0, 3, 3]), "");
  assert.equal(kinds([2, 3]), "");
  assert.equal(kinds([2, 99]), "");
  assert.equal(kinds([3, 2, 1, 2]), "motorway", "a value's number is no key");
});

test("fields of other kinds are passed over", () => {
  const [known] = [layer({ name: "a", features: [] })];
  const unknown = [
    ...varint(9 * 8 + 1),
    ...Array(8).fill(1),
    ...varint(9 * 8 + 5),
    ...Array(4).fill(1),
    ...whole(9, 300),
    ...field(9, [1]),
  ];
  assert.deepEqual(
    read([...unknown, ...known]).map(({ name }) => name),
    ["a"],
  );
});

test("a damaged tile is refused", () => {
  const whole = layer({
    name: "roads",
    features: [
      feature(
        2,
        geometry([
          [
            [0, 0],
            [900, 900],
          ],
        ]),
      ),
    ],
  });
  for (let cut = 1; cut < whole.length; cut += 1)
    assert.throws(() => read(whole.slice(0, cut)), RangeError, String(cut));
  assert.throws(() => read([...varint(3 * 8 + 3)]), /a field of type 3/);
  assert.throws(() => ringsOf([command(2, 500_001)]), /more than 500000 points/);
  assert.deepEqual(ringsOf([command(7, 1)]), []);
});
