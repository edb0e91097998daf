"""The audit of private decisions: uploads whose boxes are near their threshold, and what a tree shows of them."""

import numpy as np
import pytest

from privacy_engine import noise
from privacy_engine.audit import AuditSpec, audit
from privacy_engine.audit.checkins import CheckInKind
from privacy_engine.audit.decisions import NAMES, Decisions
from privacy_engine.mechanism import mechanisms
from tests.cases import each

BOX = {"west": 0.0, "south": 0.0, "east": 4.0, "north": 4.0, "contributions": 3}
PAIR = "one more, in boxes near their threshold"


def privtree(**changes):
    described = {"name": "checkin-privtree", "epsilon": 1.5, "privacy_unit": "record", "side": 4}
    return mechanisms.parse(described | BOX | changes)


def pair_of(mechanism):
    return next((pair for pair in CheckInKind().pairs(mechanism) if pair.name == PAIR), None)


@each("side", [4, 6, 16])
def test_one_check_in_more_changes_three_runs_in_boxes_that_half_the_noise_splits_as_often_as_not(side):
    mechanism = privtree(side=side)
    pair = pair_of(mechanism)
    assert len(pair.second) == len(pair.first) + 1
    counts = []
    for upload in (pair.first, pair.second):
        runs = mechanism.sequences(upload).windows(2)
        quadrant = (runs // side >= side // 2) * 2 + (runs % side >= side // 2)
        counts.append(np.bincount(quadrant[:, 0] * 4 + quadrant[:, 1], minlength=16))
    apart = counts[1] - counts[0]
    assert sorted(apart[apart != 0].tolist()) == [-1, 1, 1]
    half = privtree(side=side, epsilon=3.0).decay  # twice the rate of noise
    assert {int(n) - half for n in (*counts[0][apart != 0], *counts[1][apart != 0])} <= {-1, 0, 1, 2}


def test_without_noise_a_tree_shows_the_runs_alone():
    mechanism = privtree()
    observed = Decisions.of(mechanism)
    exact = mechanism.model_copy(update={"epsilon": 1e4})
    pair = pair_of(mechanism)
    one, other = (observed.observe(exact.release(data, rng=noise.seeded(1))) for data in (pair.first, pair.second))
    assert dict(zip(NAMES, one, strict=True)) == dict(zip(NAMES, [1, 2, 0, 2, 0, 2], strict=True))
    assert other.tolist() == [0, 2, 1, 2, 1, 2]


@each("changes", [{"privacy_unit": "user"}, {"relation": "replace-one"}, {"side": 2}, {"order": 2}])
def test_others_have_no_such_pair(changes):
    assert pair_of(privtree(**changes)) is None


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("name", "verdict"), [("checkin-privtree", "consistent"), ("control:half-noise:checkin-privtree", "violated")]
)
def test_half_the_noise_of_decisions_by_record_is_found(name, verdict):
    """20,000 draws; on 2 by 2 cells, where one decision alone is made, half the noise spends 1.1 times ε at most."""
    described = privtree().model_dump() | {"name": name}
    assert audit(AuditSpec.parse({"mechanism": described, "trials": 20_000, "seed": 5})).verdict == verdict
