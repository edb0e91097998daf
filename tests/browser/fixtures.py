"""Fixtures of data: datasets, landmark sets, base maps; conftest.py imports them."""

import math

import pytest
from django.core.files.base import ContentFile

from dashboard.datasets.services import import_dataset
from dashboard.jobs.models import State
from dashboard.landmarks.services import mark_landmarks
from dashboard.maps.basemap import base_map
from dashboard.releases.models import Release
from privacy_engine.landmarks.samples import samples
from tests.browser.jobs import run_jobs
from tests.dashboard.release_runs import submitted
from tests.patience import until
from tests.pmtiles import streets, write_tiles

WALK = b"time,lat,lon\n" + b"".join(
    b"2024-05-14T07:%02d:00Z,48.%d,2.%d\n" % (minute, 8462 + 3 * minute, 3412 + 7 * minute) for minute in range(40)
)
DAYS = b"when,lat,lon\n01/02/2024 10:00,48,2\n02/02/2024 10:00,48,2\n"
"""Days and months that may be either."""
HOST = "https://tiles.example.org"


def csv_file(name, body):
    """A CSV file for a file field."""
    return {"name": name, "mimeType": "text/csv", "buffer": body}


def table(*parts):
    """Series as a CSV with a name for each."""
    rows = [
        f"{name},{t:.0f},{lat},{lon}\n"
        for name, series in parts
        for t, lat, lon in zip(series.time_s, series.lat, series.lon, strict=True)
    ]
    return ContentFile(("id,time,lat,lon\n" + "".join(rows)).encode(), name="series.csv")


@pytest.fixture
def walk(owner):
    """Forty minutes through a city, in a line."""
    return import_dataset(owner=owner, upload=ContentFile(WALK, name="walk.csv"), name="Walk")


@pytest.fixture
def taxi(owner):
    """The sample of a taxi, as a file of one's own."""
    return import_dataset(owner=owner, upload=table(("taxi", samples()[1].series)), name="Taxi day")


@pytest.fixture
def stays(owner, taxi):
    """The taxi's stay points."""
    return mark_landmarks(owner=owner, dataset=taxi, method=samples()[1].landmarks)


PRECISE = {"epsilon": 10.0, "radius_m": 20.0}
"""Little noise."""


def released(landmark_set, *names, epsilon=1.0, radius_m=200.0, seed=None):
    """Finished releases by the landmark mechanisms of these names."""
    level = {"epsilon": epsilon, "radius_m": radius_m}
    made = [submitted(landmark_set, {"name": f"landmark-{name}", **level}, seed) for name in names]
    run_jobs()
    done = Release.objects.filter(state=State.DONE)  # the fixture `worker` may be at one of them
    return [until(done.filter(pk=one.pk).first, 60) for one in made]


@pytest.fixture
def pair(stays):
    """Skip and Uniform of the taxi day."""
    return released(stays, "skip", "uniform")


@pytest.fixture
def seeded_pair(stays):
    """The same, precise and from one seed: where a draw lies decides what covers what and what is left of a line."""
    return released(stays, "skip", "uniform", **PRECISE, seed=1)


def around(lon, lat, z, reach):
    """The tiles about a place."""
    n = 2**z
    x = int((lon + 180) / 360 * n)
    y = int((1 - math.asinh(math.tan(math.radians(lat))) / math.pi) / 2 * n)
    return [(z, x + dx, y + dy) for dx in range(-reach, reach + 1) for dy in range(-reach, reach + 1)]


@pytest.fixture
def served(settings, tmp_path):
    """A base map about the walk, from this server."""
    places = [place for z, reach in ((12, 3), (13, 6)) for place in around(2.35, 48.9, z, reach)]
    path = write_tiles(
        tmp_path / "city.pmtiles", {place: streets(*place) for place in places}, bounds=(2.2, 48.8, 2.6, 49.0)
    )
    settings.CAIRN_BASE_MAP = base_map(str(path), "Streets made up")


@pytest.fixture
def elsewhere(settings):
    """The tile server of the operator, which users may agree to."""
    settings.CAIRN_BASE_MAP = base_map(f"{HOST}/{{z}}/{{x}}/{{y}}.png", "Streets of another server")
