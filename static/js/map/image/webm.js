/* Encoded frames as a WebM file (RFC 9559 and its EBML, RFC 8794): one video track, seekable, all in memory.
 *
 * No date, host or program version is written: the same frames give the same file.
 */

const UNKNOWN_LENGTH = 8; // bytes of a position whose value is known only later
const ID = {
  ebml: 0x1a45dfa3, version: 0x4286, readVersion: 0x42f7, idLength: 0x42f2, sizeLength: 0x42f3, docType: 0x4282,
  docTypeVersion: 0x4287, docTypeReadVersion: 0x4285, segment: 0x18538067, info: 0x1549a966, timestampScale: 0x2ad7b1,
  duration: 0x4489, muxingApp: 0x4d80, writingApp: 0x5741, title: 0x7ba9, tracks: 0x1654ae6b, track: 0xae,
  trackNumber: 0xd7, trackUid: 0x73c5, trackType: 0x83, lacing: 0x9c, codec: 0x86, video: 0xe0, width: 0xb0,
  height: 0xba, cues: 0x1c53bb6b, cue: 0xbb, cueTime: 0xb3, cuePositions: 0xb7, cueTrack: 0xf7, cueCluster: 0xf1,
  cluster: 0x1f43b675, clusterTime: 0xe7, block: 0xa3,
}; // prettier-ignore

/** @typedef {{time_ms: number, isKey: boolean, data: Uint8Array}} Frame */

/** A whole number in as few bytes as it needs, or in `length`. @param {number} value */
function uint(value, length = 0) {
  const bytes = [];
  for (let rest = value; rest > 0 || bytes.length < Math.max(1, length); rest = Math.floor(rest / 256))
    bytes.unshift(rest % 256);
  return Uint8Array.from(bytes);
}

/** @param {number} value */
function float(value) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return bytes;
}

/** @param {string} text */
const utf8 = (text) => new TextEncoder().encode(text);

/** A size of an element in eight bytes. @param {number} value */
function size(value) {
  const bytes = uint(value, 8);
  bytes[0] = 0x01;
  return bytes;
}

/** @param {Uint8Array[]} parts */
const lengthOf = (parts) => parts.reduce((sum, { length }) => sum + length, 0);

/** An element as its bytes in parts. @param {number} id
 * @param {...(Uint8Array | Uint8Array[])} content */
function element(id, ...content) {
  const parts = content.flat();
  return [uint(id), size(lengthOf(parts)), ...parts];
}

/** Frames in groups that begin with a key frame. @param {Frame[]} frames */
function clustersOf(frames) {
  /** @type {Frame[][]} */
  const groups = [];
  for (const frame of frames) {
    if (frame.isKey || !groups.length) groups.push([]);
    groups[groups.length - 1].push(frame);
  }
  return groups;
}

/** @param {Frame[]} group */
function cluster(group) {
  const began = group[0].time_ms;
  const blocks = group.flatMap(({ time_ms: time, isKey, data }) => {
    const after = time - began; // 16 bits, signed
    return element(ID.block, Uint8Array.of(0x81, (after >> 8) & 255, after & 255, isKey ? 0x80 : 0), data);
  });
  return element(ID.cluster, element(ID.clusterTime, uint(began)), blocks);
}

/** @param {number} time
 * @param {number} at */
const cue = (time, at) =>
  element(
    ID.cue,
    element(ID.cueTime, uint(time)),
    element(ID.cuePositions, element(ID.cueTrack, uint(1)), element(ID.cueCluster, uint(at, UNKNOWN_LENGTH))),
  );

/**
 * The file as parts for a Blob. `codec` is "V_VP9" or "V_VP8"; times of frames are whole milliseconds, the first is a
 * key frame, and key frames are at most 32 s apart.
 *
 * @param {Frame[]} frames
 * @param {{codec: string, width: number, height: number, duration_ms: number, title: string}} video
 */
export function webm(frames, { codec, width, height, duration_ms, title }) {
  const head = element(
    ID.ebml,
    element(ID.version, uint(1)),
    element(ID.readVersion, uint(1)),
    element(ID.idLength, uint(4)),
    element(ID.sizeLength, uint(8)),
    element(ID.docType, utf8("webm")),
    element(ID.docTypeVersion, uint(4)),
    element(ID.docTypeReadVersion, uint(2)),
  );
  const info = element(
    ID.info,
    element(ID.timestampScale, uint(1_000_000)),
    element(ID.duration, float(duration_ms)),
    element(ID.title, utf8(title)),
    element(ID.muxingApp, utf8("Cairn")),
    element(ID.writingApp, utf8("Cairn")),
  );
  const dimensions = element(ID.video, element(ID.width, uint(width)), element(ID.height, uint(height)));
  const track = element(
    ID.track,
    element(ID.trackNumber, uint(1)),
    element(ID.trackUid, uint(1)),
    element(ID.trackType, uint(1)),
    element(ID.lacing, uint(0)),
    element(ID.codec, utf8(codec)),
    dimensions,
  );
  const tracks = element(ID.tracks, track);
  const groups = clustersOf(frames);
  const clusters = groups.map(cluster);
  const times = groups.map(([{ time_ms: time }]) => time);
  const cuesFrom = (/** @type {number} */ first) => {
    let at = first;
    return element(
      ID.cues,
      times.flatMap((time, i) => {
        const found = cue(time, at);
        at += lengthOf(clusters[i]);
        return found;
      }),
    );
  };
  const before = lengthOf([...info, ...tracks]);
  const cues = cuesFrom(before + lengthOf(cuesFrom(0))); // as long whatever the positions are
  return [...head, ...element(ID.segment, info, tracks, cues, clusters.flat())];
}
