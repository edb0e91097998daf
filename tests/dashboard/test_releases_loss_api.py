"""The losses a release's charts show: both views, both bounds, three ways to a correlation."""

import itertools
import json

import numpy as np
import pytest

from privacy_engine.accounting.estimation import estimate_correlation
from privacy_engine.accounting.pairwise import pairwise_loss
from privacy_engine.accounting.temporal import (
    LossFunction,
    landmark_own_loss,
    landmark_temporal_loss,
    smoothing_matrix,
    temporal_loss,
)
from privacy_engine.analysis import losses as loss
from privacy_engine.data import Trajectory
from privacy_engine.mechanisms.landmark.skip import Skip
from tests.dashboard.api_helpers import first_error, refused, release_url
from tests.dashboard.release_runs import executed
from tests.engine.test_temporal_distance import RADII, STAY, PlacedChain, line

BUDGETS, MASK = np.array([0, 1, 0, 1, 0, 1, 1, 0.0]), np.isin(np.arange(8), [0, 2, 4, 7])


def series(api, release, query=None):
    """The charts' data for states one radius apart, where the query names no distance and no cells: levels as given."""
    requested = query or {}
    known = {} if "cell_m" in requested else {"diameter_m": "200"}
    return api.get(release_url(release, "series"), known | requested)


def test_losses_are_the_engines_whose_states_are_near_or_far(owner_api, done):
    matrix = smoothing_matrix(3, 0.01)
    for requested in ("", "bridge", "published"):
        found = series(owner_api, done, {"s": "0.01", "n": "3", "bound": requested}).json()["landmark"]
        bound = requested or "bridge"
        joint = landmark_temporal_loss(BUDGETS, MASK, matrix, matrix, bound=bound)
        assert (found["bound"], found["upper_bound"], found["why"]) == (bound, bound == "bridge", "")
        assert found["joint"] == joint.tolist()
        assert found["own"] == landmark_own_loss(BUDGETS, MASK, matrix, matrix, bound=bound).tolist()
        assert found["landmarks_only"] == pytest.approx(joint[0], rel=1e-12)
        assert found["level"] == 1.0
    query = {"forward": "[[0.9, 0.1], [0.1, 0.9]]", "backward": "reversal", "diameter_m": "1000"}
    found, matrix = series(owner_api, done, query).json(), [[0.9, 0.1], [0.1, 0.9]]
    assert found["loss"]["total"] == pytest.approx(temporal_loss(5 * BUDGETS, matrix, matrix).total)
    joint = landmark_temporal_loss(5 * BUDGETS, MASK, matrix, matrix, bound="bridge")
    assert found["landmark"]["joint"] == pytest.approx(joint)
    assert (found["loss"]["level"], found["landmark"]["level"]) == (pytest.approx(5), pytest.approx(5))
    assert found["loss"]["supremum"]["budget"] == pytest.approx(5)
    assert found["correlation"]["diameter_m"] == 1000


@pytest.mark.parametrize("radii", RADII)
def test_what_is_shown_is_an_upper_bound_of_what_an_adversary_learns(owner_api, done, radii):
    """Exact likelihood ratios of planar Laplace outputs over two states; of each event, and with all landmarks."""
    query = {"forward": json.dumps(STAY.tolist()), "backward": "reversal", "diameter_m": str(radii * 200)}
    found = series(owner_api, done, query).json()
    assert (found["landmark"]["bound"], found["landmark"]["upper_bound"]) == ("bridge", True)
    chain = PlacedChain(STAY, line(radii), BUDGETS)
    outputs = np.zeros((2**8, 8, 2))
    outputs[:, :, 0] = list(itertools.product([-1e3, 1e3], repeat=8))
    joint = chain.log_joint(outputs)
    for t in range(8):
        exact = chain.loss(joint, [t])
        assert exact <= found["loss"]["total"][t] * (1 + 1e-9)
        assert found["loss"]["total"][t] == pytest.approx(exact, rel=1e-6)  # and not above that
        together = chain.loss(joint, sorted({*np.flatnonzero(MASK).tolist(), t}))
        assert together <= found["landmark"]["joint"][t] * (1 + 1e-9)
    if radii > 1:
        assert max(found["loss"]["total"]) > temporal_loss(BUDGETS, STAY, STAY).total.max() + 1


@pytest.mark.parametrize("seconds", [2.0, 0.0])
def test_cells_are_as_far_apart_as_they_lie(owner_api, done, paris_day, monkeypatch, seconds):
    """Each two at their own distance; without time for that all at the largest."""
    monkeypatch.setattr(loss, "pairwise_seconds", lambda *_: 1.0)
    monkeypatch.setattr(loss, "MAX_SECONDS", seconds)
    found = owner_api.get(release_url(done, "series"), {"cell_m": "900", "smoothing": "0.5"}).json()
    stored = Trajectory(paris_day.lon.round(7), paris_day.lat.round(7), paris_day.time_s)
    known = estimate_correlation(stored, cell_m=900.0, smoothing=0.5)
    sides, apart = (known.backward, known.forward), known.distances_m / 200
    if pairwise := seconds > 0:
        expected = pairwise_loss(BUDGETS, apart, *sides).total
        assert expected.max() < temporal_loss(BUDGETS * apart.max(), *sides).total.max()
    else:
        expected = temporal_loss(BUDGETS * apart.max(), *sides).total
    assert found["loss"]["total"] == pytest.approx(expected, rel=1e-9)
    assert found["loss"]["pairwise"] is pairwise
    assert found["correlation"]["diameter_m"] == pytest.approx(known.distances_m.max())


def test_suprema_and_what_no_one_chain_and_no_correlation_have(owner_api, done):
    found = series(owner_api, done, {"s": "0.1"}).json()["loss"]
    limit = LossFunction(smoothing_matrix(2, 0.1)).supremum(1.0)
    assert found["level"] == 1.0
    assert found["supremum"] == {"budget": 1.0, "backward": limit, "forward": limit, "total": 2 * limit - 1}
    assert max(found["total"]) < found["supremum"]["total"]
    diverges = {"backward": "[[0.8, 0.2], [0, 1]]", "forward": "[[0.5, 0.5], [0.5, 0.5]]"}
    found = series(owner_api, done, diverges).json()["loss"]
    assert found["supremum"] == {"budget": 1.0, "backward": None, "forward": 1.0, "total": None}
    found = owner_api.get(release_url(done, "series")).json()
    assert (found["budget"], found["correlation"]) == (BUDGETS.tolist(), None)
    assert found["loss"]["total"] is found["loss"]["level"] is found["landmark"]["joint"] is None
    assert "diameter_m" in found["loss"]["undefined"]
    query = {"backward": "[[0.9, 0.1], [0.5, 0.5]]", "forward": "[[0.5, 0.5], [0.1, 0.9]]"}
    found = series(owner_api, done, query).json()
    assert (found["landmark"]["bound"], found["landmark"]["upper_bound"]) == ("published", False)
    assert "not each other's reversal" in found["landmark"]["why"]
    assert found["correlation"]["mismatch"] > 0.01
    assert refused(series(owner_api, done, query | {"bound": "bridge"})) == (400, "bound")
    again = series(owner_api, done, query | {"backward": "reversal", "bound": "bridge"}).json()
    assert again["landmark"]["bound"] == "bridge"


def test_what_would_take_too_long_is_refused_beforehand(owner_api, done, monkeypatch):
    monkeypatch.setattr(loss, "loss_seconds", lambda *_: 40.0)
    for bound in ("bridge", "published"):
        answer = series(owner_api, done, {"bound": bound})
        assert refused(answer) == (400, "bound")
        assert "about 80 s" in first_error(answer)["message"]
    found = series(owner_api, done).json()
    assert found["landmark"]["joint"] is None
    assert "about 80 s" in found["landmark"]["undefined"]
    assert found["loss"]["total"]


def test_a_mechanism_without_a_temporal_loss_states_why(owner_api, done, monkeypatch):
    monkeypatch.setattr(Skip, "temporal_loss_undefined", "its draws share noise.", raising=False)
    found = series(owner_api, done).json()
    assert found["loss"]["undefined"] == found["landmark"]["undefined"] == "not defined: its draws share noise."
    assert found["loss"]["total"] is found["landmark"]["joint"] is found["loss"]["supremum"] is None
    assert len(found["budget"]) == 8


def test_a_draw_that_landmarks_share_adds_its_level(owner_api, submit):
    release = executed(submit("landmark-joint", epsilon=2.0, step_variance_m2=1e6))
    found = series(owner_api, release, {"s": "0.1"}).json()
    budgets, carried = np.array(found["budget"]), LossFunction(smoothing_matrix(2, 0.1))
    own, shared = np.where(MASK, 0.0, budgets), budgets[MASK].sum()
    assert shared > 0
    assert found["loss"]["total"] == pytest.approx(temporal_loss(own, carried, carried, shared=shared).total)
    joint = landmark_temporal_loss(own, MASK, carried, carried, bound="bridge") + shared
    assert found["landmark"]["joint"] == pytest.approx(joint)
    assert found["loss"]["supremum"]["total"] == pytest.approx(2 * carried.supremum(own.max()) - own.max() + shared)


def test_fail_names_the_field(owner_api, done):
    for field, query in (
        ("bound", {"bound": "exact"}),
        ("cell_m", {"cell_m": "-1"}),
        ("cell_m", {"cell_m": "x"}),
        ("smoothing", {"cell_m": "100", "smoothing": "nan"}),
        ("cell_m", {"cell_m": "100", "backward": "[[1]]"}),
        ("backward", {"backward": json.dumps([[0.5, 0.5]] * 3)}),
        ("forward", {"backward": "reversal"}),
    ):
        assert refused(series(owner_api, done, query)) == (400, field), query
    for query in ({"s": "1"}, {"n": "2"}, {"forward": "[[1]]"}):  # these states have no geometry
        assert refused(owner_api.get(release_url(done, "series"), query)) == (400, "diameter_m")
