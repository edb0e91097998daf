"""Small PMTiles files, rendered here, for the tests of the base map."""

import io

import numpy as np
from PIL import Image
from pmtiles.tile import Compression, TileType, zxy_to_tileid
from pmtiles.writer import Writer


def streets(z, x, y):
    """A tile of a synthetic city: streets, parks and a river that continue in the next tile."""
    grain = 2 ** (14 - z)
    across, down = np.meshgrid((np.arange(256) + 256 * x) * grain, (np.arange(256) + 256 * y) * grain)
    image = np.full((256, 256, 3), (242, 239, 233), np.uint8)
    image[((across // 180) * 7 + (down // 140) * 5) % 11 == 0] = (200, 224, 184)
    image[np.abs(down % 1400 - 700 - 160 * np.sin(across / 300)) < 40] = (160, 200, 226)
    for line, wide in ((across % 180, 9), (down % 140, 9), ((across + 2 * down) % 1100, 16)):
        image[line < max(wide, grain)] = (255, 255, 255)
        image[line == max(wide, grain)] = (190, 184, 174)
    out = io.BytesIO()
    Image.fromarray(image).save(out, "PNG")
    return out.getvalue()


def write_tiles(path, tiles, *, bounds=(-180.0, -85.0, 180.0, 85.0), order=None, **header):
    """A file of these tiles, {(z, x, y): bytes}, in the order of their ids unless another is given."""
    west, south, east, north = (round(degrees * 1e7) for degrees in bounds)
    zooms = [z for z, _, _ in tiles]
    with path.open("wb") as file:
        writer = Writer(file)
        for place in order or sorted(tiles, key=lambda place: zxy_to_tileid(*place)):
            writer.write_tile(zxy_to_tileid(*place), tiles[place])
        described = {
            "tile_type": TileType.PNG, "tile_compression": Compression.NONE,
            "min_zoom": min(zooms), "max_zoom": max(zooms),
            "center_zoom": min(zooms), "center_lon_e7": 0, "center_lat_e7": 0,
            "min_lon_e7": west, "min_lat_e7": south, "max_lon_e7": east, "max_lat_e7": north,
        }  # fmt: skip
        writer.finalize(described | header, {})
    return path
