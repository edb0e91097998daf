"""What releases are called, and the batches they were submitted in."""

import uuid
from datetime import timedelta
from urllib.parse import parse_qs

import pytest

from dashboard.datasets.models import Kind
from dashboard.jobs.models import now
from dashboard.releases.batches import batches
from dashboard.releases.models import Release
from dashboard.releases.naming import file_parts, title
from privacy_engine.spec import ReleaseSpec
from tests.dashboard.kinds import POPULARITY

SKIP = {"name": "landmark-skip", "epsilon": 1.0, "radius_m": 200.0}
STREAM = {"name": "stream-uniform", "epsilon": 0.5, "window": 52}
OU = {"name": "ou-smoother"}
MODEL = POPULARITY | {"epsilon": 2.0}


@pytest.mark.parametrize(
    ("mechanism", "steps", "called", "stem"),
    [
        (SKIP, [], "Skip · ε 1 / 200\u202fm", "landmark-skip_eps1_D200m"),
        (SKIP | {"radius_m": 1500}, [], "Skip · ε 1 / 1.5\u202fkm", "landmark-skip_eps1_D1500m"),
        (SKIP, [OU], "Skip + OU smoother · ε 1 / 200\u202fm", "landmark-skip_eps1_D200m_ou-smoother"),
        (STREAM, [], "Uniform · ε 0.5 / 52 timestamps", "stream-uniform_eps0.5_w52"),
        (STREAM | {"window": 1}, [], "Uniform · ε 0.5 / timestamp", "stream-uniform_eps0.5_w1"),
        (MODEL | {"privacy_unit": "user"}, [], "Popularity · ε 2 / user", "checkin-popularity_eps2_c5_G8"),
        (MODEL | {"privacy_unit": "record"}, [], "Popularity · ε 2 / check-in", "checkin-popularity_eps2_record_c5_G8"),
    ],
)
def test_a_release_is_called_by_mechanism_steps_and_level(mechanism, steps, called, stem):
    spec = ReleaseSpec.parse({"mechanism": mechanism, "seed": None, "postprocess": steps})
    assert title(spec).removeprefix("Stream ").lower() == called.lower()
    assert "_".join(file_parts(spec)) == stem


def row(name, at_s, *, epsilon=1.0, seed=None, source=None):
    spec = {"mechanism": SKIP | {"name": name, "epsilon": epsilon}, "seed": seed}
    made = Release(kind=Kind.TRAJECTORY, spec=spec, mechanism=name, seeded=seed is not None, source=source)
    made.created_at = now() + timedelta(seconds=at_s)
    return made


def test_batches_have_one_level_and_were_submitted_together():
    rows = [
        row("landmark-skip", 0),
        row("landmark-uniform", 2),
        row("landmark-adaptive", 50),
        row("landmark-skip", 3, epsilon=2.0),
        row("landmark-skip", 1000),
        row("landmark-uniform", 2000, seed=1),
        row("landmark-skip", 1001, source={"release": "x", "sha256": ""}),
    ]
    found = [(one.level, one.simulated, one.derived, [r.mechanism[9:] for r in one.releases]) for one in batches(rows)]
    level = "ε 1 / 200\u202fm"
    assert found == [
        (level, False, True, ["skip"]),
        (level, False, False, ["skip"]),
        ("ε 2 / 200\u202fm", False, False, ["skip"]),
        (level, False, False, ["skip", "uniform", "adaptive"]),
        (level, True, False, ["uniform"]),
    ]


def test_a_batch_is_of_one_landmark_set_and_its_query_compares_it():
    one, other = uuid.uuid4(), uuid.uuid4()
    rows = [row(name, at) for at, name in enumerate(("landmark-skip", "landmark-uniform", "landmark-adaptive"))]
    for release, landmark_set in zip(rows, (one, one, other), strict=True):
        release.landmark_set_id = landmark_set
    apart, together = batches(rows)
    assert (apart.is_several, together.is_several) == (False, True)
    chosen = parse_qs(together.query)
    assert chosen == {"landmark_set": [str(one)], "release": [str(release.pk) for release in rows[:2]]}
