"""The usual ways: pandas and Django's bulk insert for tables, gpxpy for tracks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gpxpy
import numpy as np
import pandas
from django.apps import apps
from django.conf import settings


def _model() -> Any:
    from django.db import models

    class Point(models.Model):  # noqa: DJ008
        user = models.CharField(max_length=40, db_index=True)
        time = models.DateTimeField()
        lat = models.FloatField()
        lon = models.FloatField()

        class Meta:
            app_label = "ingest"

    return Point


_POINT: list[Any] = []


@contextmanager
def database(path: Path) -> Iterator[None]:
    """A fresh SQLite file with one table of points."""
    if not settings.configured:
        base = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(path)}
        settings.configure(DATABASES={"default": base}, INSTALLED_APPS=[], USE_TZ=True, SECRET_KEY="x" * 50)
    if not apps.ready:
        import django

        django.setup()
    from django.db import connection

    if not _POINT:
        _POINT.append(_model())
    connection.close()
    connection.settings_dict["NAME"] = str(path)
    with connection.schema_editor() as editor:
        editor.create_model(_POINT[0])
    yield
    connection.close()


def pandas_bulk(path: Path) -> int:
    """Read a CSV by pandas, insert its rows by ``bulk_create``; how many there are then."""
    from django.db import transaction

    model = _POINT[0]
    frame = pandas.read_csv(path, parse_dates=["time"])
    rows = zip(frame["user"], frame["time"].dt.to_pydatetime(), frame["lat"], frame["lon"], strict=True)
    with transaction.atomic():
        model.objects.all().delete()
        points = [model(user=user, time=time, lat=lat, lon=lon) for user, time, lat, lon in rows]
        model.objects.bulk_create(points, batch_size=5000)
    return int(model.objects.count())


def stored() -> dict[str, np.ndarray]:
    """What lies in the table, in the order of insertion."""
    rows = _POINT[0].objects.order_by("pk").values_list("lon", "lat")
    lon, lat = zip(*rows, strict=True)
    return {"lon": np.array(lon), "lat": np.array(lat)}


def gpxpy_points(text: str) -> tuple[np.ndarray, np.ndarray]:
    """Longitudes and latitudes of all track points."""
    points = [p for track in gpxpy.parse(text).tracks for segment in track.segments for p in segment.points]
    return np.array([p.longitude for p in points]), np.array([p.latitude for p in points])
