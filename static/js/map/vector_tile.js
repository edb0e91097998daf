/* A reader of Mapbox vector tiles, version 2.1: https://github.com/mapbox/vector-tile-spec/tree/master/2.1 */

/**
 * @typedef {{type: number, kind: string, rings: Int32Array[]}} Feature
 *   type 1 points, 2 lines, 3 areas; rings x, y in turn
 * @typedef {{name: string, extent: number, features: Feature[]}} Layer
 */

const KINDS = ["kind", "class", "highway", "type"]; // properties that name what a feature is, the first there is
const MOST_POINTS = 500_000; // of a tile

/** Protocol buffers: numbers and fields of bytes. */
class Reader {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  number() {
    let [found, factor] = [0, 1];
    for (;;) {
      if (this.at >= this.bytes.length) throw new RangeError("a vector tile ends within a number");
      const byte = this.bytes[this.at++];
      found += (byte & 127) * factor;
      if (byte < 128) return found;
      factor *= 128;
    }
  }

  block() {
    const length = this.number();
    if (this.at + length > this.bytes.length) throw new RangeError("a vector tile ends within a field");
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  /** All fields of the message: `read(number, value)`, numbers as such and blocks as bytes.
   * @param {(field: number, value: any) => void} read */
  fields(read) {
    while (this.at < this.bytes.length) {
      const key = this.number();
      const wire = key & 7;
      if (wire === 0) read(key >> 3, this.number());
      else if (wire === 2) read(key >> 3, this.block());
      else if (wire === 1 || wire === 5) this.at += wire === 1 ? 8 : 4;
      else throw new RangeError(`a vector tile has a field of type ${wire}`);
    }
  }
}

/** @param {Uint8Array} bytes */
function numbers(bytes) {
  const reader = new Reader(bytes);
  const found = [];
  while (reader.at < bytes.length) found.push(reader.number());
  return found;
}

const text = (/** @type {Uint8Array} */ bytes) => new TextDecoder().decode(bytes);

/** The layers of a tile. @param {ArrayBuffer} buffer @returns {Layer[]} */
export function layersOf(buffer) {
  /** @type {Layer[]} */
  const layers = [];
  new Reader(new Uint8Array(buffer)).fields((field, value) => field === 3 && layers.push(layerOf(value)));
  return layers;
}

/** @param {Uint8Array} bytes */
function layerOf(bytes) {
  let [name, extent] = ["", 4096];
  /** @type {string[]} */
  const keys = [];
  /** @type {string[]} */
  const values = [];
  /** @type {Uint8Array[]} */
  const raw = [];
  new Reader(bytes).fields((field, value) => {
    if (field === 1) name = text(value);
    else if (field === 2) raw.push(value);
    else if (field === 3) keys.push(text(value));
    else if (field === 4) values.push(stringOf(value));
    else if (field === 5) extent = value || 4096;
  });
  const wanted = KINDS.map((key) => keys.indexOf(key)).filter((key) => key >= 0);
  return { name, extent, features: raw.map((one) => featureOf(one, wanted, values)) };
}

/** The text of a value; "" for numbers. @param {Uint8Array} bytes */
function stringOf(bytes) {
  let found = "";
  new Reader(bytes).fields((field, value) => field === 1 && (found = text(value)));
  return found;
}

/**
 * @param {Uint8Array} bytes
 * @param {number[]} wanted
 * @param {string[]} values
 * @returns {Feature}
 */
function featureOf(bytes, wanted, values) {
  let type = 0;
  /** @type {number[]} */
  let tags = [];
  /** @type {Int32Array[]} */
  let rings = [];
  new Reader(bytes).fields((field, value) => {
    if (field === 2) tags = numbers(value);
    else if (field === 3) type = value;
    else if (field === 4) rings = ringsOf(numbers(value));
  });
  let kind = "";
  for (const key of wanted) {
    const at = tags.findIndex((tag, i) => i % 2 === 0 && tag === key);
    kind ||= at < 0 ? "" : (values[tags[at + 1]] ?? "");
  }
  return { type, kind, rings };
}

/** @param {number[]} commands */
function ringsOf(commands) {
  /** @type {number[][]} */
  const rings = [];
  let [x, y, total] = [0, 0, 0];
  for (let i = 0; i < commands.length;) {
    const [command, count] = [commands[i] & 7, commands[i] >>> 3];
    i += 1;
    if (command === 7) {
      const ring = rings.at(-1);
      if (ring) ring.push(ring[0], ring[1]);
      continue;
    }
    if ((total += count) > MOST_POINTS) throw new RangeError(`a vector tile has more than ${MOST_POINTS} points`);
    for (let k = 0; k < count && i + 1 < commands.length; k += 1, i += 2) {
      x += (commands[i] >>> 1) ^ -(commands[i] & 1);
      y += (commands[i + 1] >>> 1) ^ -(commands[i + 1] & 1);
      if (command === 1 || !rings.length) rings.push([x, y]);
      else /** @type {number[]} */ (rings.at(-1)).push(x, y);
    }
  }
  return rings.map((ring) => Int32Array.from(ring));
}
