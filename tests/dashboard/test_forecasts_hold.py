"""What a forecast shows, wherever it is shown, is what fifty releases then have; and it is the same everywhere."""

import csv
import io
import re

import numpy as np
import pytest

import privacy_engine as pe
from privacy_engine import metrics
from privacy_engine.analysis.repeated import off_by
from privacy_engine.commands.main import main
from privacy_engine.landmarks import parse_short
from privacy_engine.landmarks.samples import samples
from privacy_engine.releases.spec import ReleaseSpec
from tests.conftest import SHARED
from tests.dashboard import kinds
from tests.engine.mechanism_examples import CLASSES, example

pytestmark = pytest.mark.django_db

RELEASES, MORE, WITHIN = 50, 400, 0.1
FIGURES = ("typical_m", "p95_m")
GROUPS = {"overall": "all events", "landmarks": "landmarks", "others": "other events"}
STAYS = "stay-points:200m:30min"


def irregular(person, seed, *, stays):
    """About 400 events of a person at irregular times, seconds to many minutes apart, with ``stays`` or none."""
    rng = np.random.default_rng(seed)
    time_s = 1.7e9 + np.cumsum(rng.gamma(0.5, 240, 400))
    at_rest = (np.sin(time_s / 4000) > 0.5) & stays
    steps = rng.normal(0, 1.2, (400, 2)) * np.diff(time_s, prepend=time_s[0])[:, None] ** 0.8 * ~at_rest[:, None]
    lat, lon = np.cumsum(steps, axis=0).T * 1e-5
    return [(person, t, 48.85 + y, 2.35 + x) for t, y, x in zip(time_s, lat, lon, strict=True)]


def table(rows):
    out = io.StringIO()
    times = (f"{np.datetime64(int(t * 1000), 'ms')}Z" for _, t, _, _ in rows)
    lines = [(person, time, f"{y:.7f}", f"{x:.7f}") for (person, _, y, x), time in zip(rows, times, strict=True)]
    csv.writer(out).writerows([("user", "time", "lat", "lon"), *lines])
    return out.getvalue().encode()


def sample(name):
    (one,) = (each.series for each in samples() if each.series.name == name)
    return table([("a", t, y, x) for t, y, x in zip(one.time_s, one.lat, one.lon, strict=True)])


DATA = {
    "a taxi's day": ("taxi.csv", lambda: sample("taxi"), STAYS),
    "five people": (
        "people.csv",
        lambda: table([row for i in range(5) for row in irregular(f"p{i}", i, stays=True)]),
        STAYS,
    ),
    "one person without landmarks": ("one.csv", lambda: table(irregular("a", 9, stays=False)), "manual:"),
    "T-Drive": ("1.txt", lambda: (SHARED / "data/trajectories/tdrive/1.txt").read_bytes(), STAYS),
    "a walk": (
        "walk.gpx",
        lambda: (SHARED / "data/trajectories/gpx/korita-zbevnica.gpx").read_bytes(),
        "stay-points:100m:5min",
    ),
}
QUICK = "one person without landmarks"  # most of its figures are in closed form


@pytest.fixture
def channels(owner_api, tmp_path, capsys):
    """``channels(name)``: the data in the library, and what each channel shows of a mechanism."""

    def make(name):
        file, body, landmarks = DATA[name]
        path = tmp_path / file
        path.write_bytes(body())
        dataset = kinds.made(owner_api, path.read_bytes(), file)
        method = {"dataset": dataset["id"], "method": parse_short(landmarks).model_dump()}
        marks = owner_api.post("/api/v1/landmark-sets/", method).json()
        library = pe.read(path).landmarks(landmarks)

        def posted(address, described):
            body = {"landmark_set": marks["id"], "mechanisms": [described]}
            (found,) = owner_api.post(f"/api/v1/releases/{address}/", body).json()["mechanisms"]
            return found["errors"]

        def printed(described):
            given = [("--set", f"{field}={value}") for field, value in described.items() if field != "name"]
            flags = [part for pair in given for part in pair]
            release = ["release", str(path), "--mechanism", described["name"], *flags, "--landmarks", landmarks]
            assert main([*release, "--forecast"]) == 0
            text = capsys.readouterr().out
            return {group: line_of(text, row) for group, row in GROUPS.items()}

        def of_library(described):
            name, parameters = described["name"], {key: one for key, one in described.items() if key != "name"}
            found = library.forecast(name, **parameters)
            return {group: found[row] for group, row in GROUPS.items()}

        shown = {
            "form": lambda one: posted("expected-errors", one),
            "forecast/": lambda one: posted("forecast", one),
            "library": of_library,
            "command": printed,
        }
        return library, shown

    return make


def line_of(text, row):
    """The figures of one line of a printed table; none where nothing is published."""
    (line,) = (line for line in text.splitlines() if line.startswith(f"  of {row}, "))
    found = {name: re.search(rf"{name} ([\d,.]+\d)", line) for name in FIGURES}
    return {name: one and float(one[1].replace(",", "")) for name, one in found.items()}


def released(mechanism, library, releases=RELEASES):
    """Errors of so many releases, (releases, events), by other seeds than a forecast's; NaN of what is left out."""
    found = np.full((releases, len(library)), np.nan)
    for seed, row in enumerate(found):
        release = ReleaseSpec.parse({"mechanism": mechanism, "seed": 1000 + seed}).release(
            library.data, library.marks.sets
        )
        at = 0
        for one, published in zip(library.data, release, strict=True):
            row[at + published.event] = metrics.error_m(one, published)
            at += len(one)
    return found


def like(value, within):
    return None if value is None else pytest.approx(value, rel=within)


@pytest.mark.parametrize("name", [QUICK, *(pytest.param(one, marks=pytest.mark.slow) for one in DATA if one != QUICK)])
def test_fifty_releases_have_what_every_channel_shows(channels, name):
    """Of landmarks and of others more releases where fifty have too few draws, as far as these know."""
    library, shown = channels(name)
    mask = np.concatenate(library.masks)
    assert (name == QUICK) == (not mask.any())
    for cls in CLASSES:
        mechanism = example(cls, epsilon=1.0, radius_m=200.0)
        found = {channel: of(mechanism.model_dump()) for channel, of in shown.items()}
        errors = released(mechanism, library)
        for group, of in (("overall", mask | True), ("landmarks", mask), ("others", ~mask)):
            within = WITHIN
            if group != "overall" and off_by(errors[:, of]) > WITHIN / 3:
                errors = errors if len(errors) > RELEASES else released(mechanism, library, MORE)
                within = max(WITHIN, 1.5 * off_by(errors[:, of]))
            measured = np.nanquantile(errors[:, of], [0.5, 0.95]) if of.any() else [None, None]
            for figure, value in zip(FIGURES, measured, strict=True):
                for channel, one in found.items():
                    where = f"{cls.registered_name()}, {group}, {figure}, {channel}"
                    assert one[group][figure] == like(found["library"][group][figure], 1e-3), where
                    assert one[group][figure] == like(value, within), where
