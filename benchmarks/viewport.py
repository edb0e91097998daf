"""What a rendered track costs beside the same points as rows of a REST framework serialiser, in one run.

    python benchmarks/viewport.py

CPU time of this thread, medians; ours is the whole request through the API, theirs the serialiser and its JSON alone.
"""

from __future__ import annotations

import gzip
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).parent / "browser")]

from large_map import cairn  # noqa: E402

ROUNDS = 15


def cpu_ms(work: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """The median of several rounds after a first one that compiles and reads."""
    work()
    spent = []
    for _ in range(rounds):
        start = time.thread_time_ns()
        work()
        spent.append((time.thread_time_ns() - start) / 1e6)
    return statistics.median(spent)


def around(line: Any) -> dict[str, float]:
    """The view of 1000 by 700 pixels that shows all of it."""
    west, east, north = line.lon.min() / 1e7, line.lon.max() / 1e7, line.lat.max() / 1e7
    tall = (float(line.y.max()) - float(line.y.min())) / 2**32
    zoom = float(np.log2(min(1000 * 360 / (east - west), 700 / tall) / 256))
    return {"west": west, "north": north, "width": 1000, "height": 700, "zoom": zoom, "middle": (west + east) / 2}


def rows(line: Any) -> bytes:
    from rest_framework import serializers
    from rest_framework.renderers import JSONRenderer

    class Row(serializers.Serializer):
        event = serializers.IntegerField()
        lon = serializers.FloatField()
        lat = serializers.FloatField()
        time_ms = serializers.IntegerField()

    columns = (line.lon / 1e7, line.lat / 1e7, line.time_ms)
    values = zip(*(column.tolist() for column in columns), strict=True)
    points = [{"event": i, "lon": lon, "lat": lat, "time_ms": t} for i, (lon, lat, t) in enumerate(values)]
    return JSONRenderer().render(Row(points, many=True).data)


def main(points: int) -> None:
    with cairn(points, 0) as (_, user, dataset):
        from rest_framework.test import APIClient

        from dashboard.maps import track_encoding
        from dashboard.maps.line_simplification import MapView
        from dashboard.maps.series_cache import line as read

        line = read(dataset.points_path, 0)
        view = around(line)
        client = APIClient()
        client.force_authenticate(user)
        url = f"/api/v1/datasets/{dataset.pk}/track/"
        client.defaults["HTTP_HOST"] = "127.0.0.1"
        sizes = {
            how: len(client.get(url, view, headers={"Accept-Encoding": how}).content) for how in ("identity", "zstd")
        }
        table = [
            (
                "view: kernels and layout",
                cpu_ms(lambda: track_encoding.encode_view(line, MapView(**view))),
                sizes["identity"],
            ),
            (
                "view: whole request, zstd",
                cpu_ms(lambda: client.get(url, view, headers={"Accept-Encoding": "zstd"})),
                sizes["zstd"],
            ),
            ("full track: layout", cpu_ms(lambda: track_encoding.encode(line)), len(track_encoding.encode(line))),
        ]
        if points <= 100_000:
            body = rows(line)
            table.append(("rows: serialiser and JSON", cpu_ms(lambda: rows(line), 3), len(body)))
            table.append(("rows, gzip", cpu_ms(lambda: gzip.compress(body, 6), 3), len(gzip.compress(body, 6))))
    print(f"{points:,} points")
    for title, ms, size in table:
        print(f"  {title:34}{ms:10.2f} ms{size / 1e3:12.1f} kB")


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if sys.argv[1:] else 100_000)
