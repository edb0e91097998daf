"""Screenshots as small PNG files: 256 colours chosen for each image, a page's flat colours unchanged."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from playwright.sync_api import Page

COLOURS = 256
EXACT = 64  # of them: the image's most frequent colours

# A blank page's canvas reads the file; its pixels come back as text
READ = """async (source) => {
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${source}`)).blob());
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  const parts = [];
  for (let i = 0; i < data.length; i += 32768) parts.push(String.fromCharCode(...data.subarray(i, i + 32768)));
  return [bitmap.width, bitmap.height, btoa(parts.join(""))];
}"""


def with_palette(reader: Page, image: bytes) -> bytes:
    """Return the PNG file ``image`` with a palette; ``reader`` is any blank page."""
    width, height, pixels = reader.evaluate(READ, base64.b64encode(image).decode())
    rgb = np.frombuffer(base64.b64decode(pixels), np.uint8).reshape(height, width, 4)[..., :3]
    palette, index = quantised(rgb)
    return _png(palette, index)


def quantised(rgb: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A palette, (n, 3) uint8 with n <= 256, and each pixel's place in it, (height, width) uint8."""
    packed = rgb.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
    colours, place, counts = np.unique(packed, return_inverse=True, return_counts=True)
    unpacked = np.stack([colours >> 16, colours >> 8 & 255, colours & 255], 1).astype(np.uint8)
    palette = unpacked[_chosen(unpacked, counts)]
    return palette, _nearest(unpacked, palette)[place].reshape(packed.shape).astype(np.uint8)


def _chosen(colours: np.ndarray, counts: np.ndarray) -> list[int]:
    """The most frequent, then one by one what is furthest from all chosen, for how often it is there."""
    chosen = list(np.argsort(-counts, kind="stable")[:EXACT])
    apart = np.full(len(colours), np.inf)
    for one in chosen:
        apart = np.minimum(apart, _square(colours, colours[one]))
    while len(chosen) < min(COLOURS, len(colours)):
        chosen.append(int(np.argmax(apart * np.sqrt(counts))))
        apart = np.minimum(apart, _square(colours, colours[chosen[-1]]))
    return chosen


def _square(colours: np.ndarray, one: np.ndarray) -> np.ndarray:
    return ((colours.astype(np.int32) - one.astype(np.int32)) ** 2).sum(1)


def _nearest(rgb: np.ndarray, palette: np.ndarray) -> np.ndarray:
    """Index of the palette's nearest colour, block by block: at most 4096 x 256 distances at once."""
    found = [
        ((block[:, None].astype(np.int32) - palette[None].astype(np.int32)) ** 2).sum(2).argmin(1)
        for block in np.split(rgb, range(4096, len(rgb), 4096))
    ]
    return np.concatenate(found)


def _png(palette: np.ndarray, index: np.ndarray) -> bytes:
    height, width = index.shape
    rows = np.zeros((height, width + 1), np.uint8)  # each row begins with its filter: 0, none
    rows[:, 1:] = index
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = {b"IHDR": header, b"PLTE": palette.tobytes(), b"IDAT": zlib.compress(rows.tobytes(), 9), b"IEND": b""}
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, body) for name, body in parts.items())


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
