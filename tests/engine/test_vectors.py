"""Every published test vector; none is left out.

One check for each section of the vectors; a section is passed as a :class:`TrackedValues` tree that records which of
its leaves were read, so a value that is added to the files and that no check reads fails here, by name.
"""

import hashlib
import itertools
import json
import math
from functools import cache

import numpy as np
import pytest
from scipy.special import gammainc, kv

from privacy_engine import noise
from privacy_engine.accounting.landmark_ledger import Ledger
from privacy_engine.accounting.planning import plan_budgets
from privacy_engine.accounting.temporal import LossFunction, landmark_temporal_loss, smoothing_matrix, temporal_loss
from privacy_engine.core import geo
from privacy_engine.landmarks.dummy_selection import heuristic_order, optimal_order, partitioned_order, select_dummies
from privacy_engine.landmarks.orders import landmark_histogram
from privacy_engine.landmarks.staypoints import STAY_RADIUS_M, stay_point_mask, stay_points
from privacy_engine.landmarks.synthetic import average_temporal_distance, landmark_weights
from privacy_engine.mechanisms.landmark import OptimalSplit, Skip, Uniform
from privacy_engine.mechanisms.landmark.adaptive import MEDIAN_DISTANCE
from tests.cases import each
from tests.conftest import SHARED
from tests.engine.test_chains import WHICH, Chain
from tests.engine.test_dummy_orders import at, evaluate, marks_of
from tests.engine.test_staypoints import recording
from tests.engine.test_temporal import reverse, stationary

REMARKS = {"name", "note", "WARNING ConTPL genTM.m adds s twice: its genTM(0.1,2)", "monte carlo check"}
"""Names and notes of vectors, another program's mistake, and a sample of a law whose exact values are here too."""

near = pytest.approx


class TrackedValues(dict):
    """An object of the vectors; reading a leaf of it (a number, a text, a list of them) removes it from ``unread``."""

    def __init__(self, node, at, unread):
        self.at, self.unread = at, unread
        branches = {key: tracked(value, f"{at}/{key}", unread) for key, value in node.items() if key not in REMARKS}
        super().__init__(node | branches)

    def __getitem__(self, key):
        self.unread.discard(f"{self.at}/{key}")
        return super().__getitem__(key)

    def items(self):
        return [(key, self[key]) for key in self if key not in REMARKS]


def tracked(node, at, unread):
    if isinstance(node, dict):
        return TrackedValues(node, at, unread)
    if isinstance(node, list) and node and all(isinstance(one, dict) for one in node):
        return [TrackedValues(one, f"{at}/{i}", unread) for i, one in enumerate(node)]
    unread.add(at)
    return node


@cache
def files():
    found = {}
    for path in sorted((SHARED / "vectors").glob("*.json")):
        content = json.loads(path.read_text())
        sections = content if path.stem == "landmark" else {path.stem: content}
        found |= {name: section for name, section in sections.items() if name not in REMARKS}
    return found


CHECKS = {}


def check(section):
    return lambda function: CHECKS.setdefault(section, function)


def named(case):
    """The mask of a vector called ``n=8 L=[2, 3] …``."""
    n, rest = case.removeprefix("n=").split(" L=")
    return at(json.loads(rest[: rest.index("]") + 1]), int(n))


@check("budgets_example")
def _(case):
    mask, how = at(case["L"], case["n"]), {"epsilon": case["eps"], "radius_m": 1}
    for cls, key in ((Uniform, "uniform"), (Skip, "skip"), (OptimalSplit, "optimal_static")):
        assert cls(**how).budgets(mask) == near(case[key], rel=1e-12)


@check("static_mae_eps1_n1000")
def _(section):
    for k, row in section.items():
        mask = np.arange(1000) < int(k)
        for cls, key in ((Uniform, "uniform 2(k+1)/eps"), (OptimalSplit, "optimal 2(k+sqrt(n-k))^2/(n eps)")):
            error = noise.planar_mean_m(cls(epsilon=1, radius_m=1).budgets(mask)).mean()
            assert error == near(row[key], rel=1e-12)


@check("ledger_trace_uniform_redistribution")
def _(trace):
    ledger, landmark = Ledger(1.0), [row["landmark"] for row in trace]
    for t, row in enumerate(trace):
        assert row["t"] == t + 1
        share = ledger.share(sum(landmark[t:]), not all(landmark[t:]))
        assert share == near(row["share"], rel=1e-12)
        spent = share if row["published"] else 0.0
        assert spent == near(row["spent"], rel=1e-12)
        ledger.spend(spent, is_landmark=landmark[t])
        assert (ledger.landmarks, ledger.largest_regular) == near((row["S"], row["M"]), rel=1e-12)


@check("planar_laplace")
def _(law):
    """Closed forms here; samples are held against the laws in test_noise.py and test_simulated_noise.py."""
    for p, quantile in law["quantiles eps*r"].items():
        assert float(noise.planar_quantile_m(1.0, float(p))) == near(quantile, rel=1e-12)
    for r in (1, 2):
        assert gammainc(2, r) == near(law[f"cdf(r={r})"], rel=1e-12)
        assert float(noise.planar_quantile_m(1.0, law[f"cdf(r={r})"])) == near(r, rel=1e-12)
    assert float(noise.planar_mean_m(1.0)) == law["mean eps*r"]
    moments = (law["var eps^2 r"], law["E r^2 eps^2"], law["std per axis * eps"], law["mean |x| per axis * eps"])
    assert moments == near((2, 6, math.sqrt(3), 4 / math.pi), rel=1e-15)
    assert law["two releases of the same place, equal eps: mean |o1-o2| * eps"] == near(15 * math.pi / 16, rel=1e-12)
    for x, share in law["P(|o1-o2|*eps<=x), stationary: 1 - x^3 K3(x)/8"].items():
        assert 1 - float(x) ** 3 * kv(3, float(x)) / 8 == near(share, abs=1e-12)
    for p, x in law["quantiles of |o1-o2|*eps"].items():
        assert 1 - x**3 * kv(3, x) / 8 == near(float(p), abs=1e-12)
        if p == "0.5":
            assert x == near(MEDIAN_DISTANCE, rel=1e-15)


@check("destination R=6371008.8")
def _(cases):
    for case in cases:
        lon, lat = geo.destination(case["lon"], case["lat"], case["r"], math.radians(case["bearing_deg"]))
        expected_lat, expected_lon = case["out"]
        assert float(lat) == near(expected_lat, abs=1e-10)  # 0.01 mm: the vectors' arc sine loses as much at the pole
        assert float(lon) == near(expected_lon, abs=1e-10)


@check("haversine")
def _(section):
    for case, expected in section.items():
        (lat, lon), (lat2, lon2) = (json.loads(f"[{one.strip('()')}]") for one in case.split(")-("))
        assert float(geo.distance_m(lon, lat, lon2, lat2)) == near(expected, rel=1e-12)


@check("smoothing_matrix")
def _(section):
    for case, expected in section.items():
        n, s = (float(part.split("=")[1]) for part in case.split(","))
        assert np.allclose(smoothing_matrix(int(n), s), expected, rtol=0, atol=1e-15)


MATRICES = {
    "[[.8,.2],[0,1]]": np.array([[0.8, 0.2], [0.0, 1.0]]),
    "smooth n=2 s=.1": smoothing_matrix(2, 0.1),
    "[[.1,.2,.7],[.5,.3,.2],[.25,.25,.5]]": np.array([[0.1, 0.2, 0.7], [0.5, 0.3, 0.2], [0.25, 0.25, 0.5]]),
}


@check("tpl")
def _(section):
    for name, case in section.items():
        carried = LossFunction(MATRICES[name])
        envelope = case["envelope (q,d,alpha up to which it is the maximiser)"]
        expected = [(q, d, math.inf if upto is None else upto) for q, d, upto in envelope]
        assert np.allclose(list(zip(*carried.arrays, strict=True)), expected, rtol=0, atol=1e-12)
        for alpha, loss in case["L(a)"].items():
            assert carried(float(alpha)) == near(loss, rel=0, abs=1e-13)
        for epsilon in (0.1, 1.0):
            series = case[f"eps={epsilon}, T=10"]
            found = temporal_loss(np.full(10, epsilon), carried, carried)
            for losses, key in ((found.backward, "BPL"), (found.forward, "FPL"), (found.total, "TPL")):
                assert losses == near(series[key], rel=0, abs=1e-12)
            assert carried.supremum(epsilon) == near(float(series["supremum of BPL"]), rel=1e-13)


@check("landmark_tpl")
def _(section):
    matrix = smoothing_matrix(2, 0.1)
    for case, expected in section.items():
        mask = named(case)
        budgets = Uniform(epsilon=1, radius_m=1).budgets(mask)
        assert landmark_temporal_loss(budgets, mask, matrix, matrix) == near(expected["alpha_t"], rel=0, abs=1e-12)
        assert landmark_temporal_loss(budgets, mask) == near(expected["sum of budgets"], rel=0, abs=1e-12)


@check("landmark_tpl_not_a_bound")
def _(case):
    """The printed formula is below the exact loss of randomised response, the bridge above it."""
    matrix, mask, budgets = np.array(case["P"]), at(case["L"], case["n"]), np.full(case["n"], case["eps_t"])
    assert stationary(matrix) == near(case["stationary"], rel=1e-12)
    given = budgets, mask, reverse(matrix), matrix
    published, bridged = (landmark_temporal_loss(*given, bound=one)[0] for one in ("published", "bridge"))
    exact = Chain(matrix, budgets, WHICH[: len(mask)]).loss(np.flatnonzero(mask).tolist())
    assert published == near(case["sum of alpha_i (text formula)"], abs=1e-12)
    assert exact == near(case["exact group loss (enumeration, binary randomised response)"], abs=1e-12)
    assert bridged == near(case["bridge-corrected bound"], abs=1e-12)
    assert published < exact < bridged


@check("avg_distance")
def _(section):
    for case, expected in section.items():
        mask = named(case)
        marks = np.array(marks_of(mask))
        away = np.abs(np.flatnonzero(~mask)[:, None] + 1 - marks).min(axis=1)
        assert away.tolist() == expected["nearest distance"]
        assert average_temporal_distance(mask) == near(expected["mean distance"], abs=1e-15)
        assert average_temporal_distance(mask, between=True) == near(expected["mean events between"], abs=1e-15)


@check("landmark_pmf n=10, scale n/5 (pmf on 1..n)")
def _(section):
    for name, weights in section.items():
        assert landmark_weights(10, name, 2) == near(weights, abs=1e-12)


@check("dummy_selection")
def _(section):
    for case, expected in section.items():
        mask = named(case)
        n, marks, aim = len(mask), marks_of(mask), evaluate(marks_of(mask), len(mask), "gaps")
        if case.endswith("optimal"):
            assert (optimal_order(mask) + 1).tolist() == expected["one optimal chain"]
            mean, each = nearest_chains(marks, n, aim)
            assert mean == near(expected["|mean eval - eval(L)|"], abs=1e-12)
            assert each == near(expected["additive variant: min sum |eval - eval(L)|"], abs=1e-12)
            continue
        assert np.diff(marks).tolist() == expected["gaps"]
        assert aim == near(expected["eval_gaps"], abs=1e-12)
        assert evaluate(marks, n, "nearest") == near(expected["eval_near"], abs=1e-12)
        for evaluation in ("gaps", "nearest"):
            order = heuristic_order(mask, evaluation)
            assert (order + 1).tolist() == expected[f"heuristic order (std of {evaluation})"]


def nearest_chains(marks, n, aim):
    """Over all orders: the least distance of the mean evaluation, and the least sum of distances."""
    mean, each = math.inf, math.inf
    for order in itertools.permutations(t for t in range(1, n + 1) if t not in marks):
        values = np.array([evaluate(tuple(sorted(marks + order[: i + 1])), n, "gaps") for i in range(len(order))])
        mean, each = min(mean, abs(values.mean() - aim)), min(each, np.abs(values - aim).sum())
    return mean, each


@check("partitioned (0-based bins)")
def _(section):
    for case, expected in section.items():
        mask = named(case)
        width, counts, capacity = landmark_histogram(mask)
        assert (width, counts.tolist(), capacity.tolist()) == (expected["h"], expected["counts"], expected["capacity"])
        low, high = np.percentile(np.flatnonzero(mask) + 1, [25, 75])
        assert [low, high] == expected["quartiles"]
        assert 2 * (high - low) / np.cbrt(mask.sum()) == near(expected["2*IQR*k^(-1/3)"], rel=1e-12)
        filled = partitioned_order(mask).tolist()
        assert filled == expected["bins receiving the extra points, normalised"]
        turns = expected["round robin"]  # what absolute counts would make of it: the same events, in turn
        assert sorted(filled) == sorted(turns)
        assert (filled == turns) == (len(counts) == 1)


@check("exponential_mechanism")
def _(case):
    mask = at(case["L"], case["n"])
    for utility, name, pmf in (
        ("distance", "utility distance", "pmf eps=1 sens=1 distance"),
        ("count", "utility count", "pmf eps=1 sens=1/n count"),
    ):
        drawn = select_dummies(mask, method="heuristic", utility=utility, epsilon=1, rng=noise.seeded(1))
        options = [sorted([*case["L"], *(drawn.order[: i + 1] + 1).tolist()]) for i in range(len(drawn.order))]
        assert options == case["options"]
        assert drawn.utilities == near(case[name], abs=1e-12)
        assert drawn.probabilities == near(case[pmf], abs=1e-12)
    assert noise.exponential_weights([0, -1, -2], 2, 1) == near(case["u=[0,-1,-2], eps=2, sens=1"], rel=1e-12)


@check("contpl")
def _(section):
    expected, matrix = section["smooth n=2 s=.1, target alpha=1.0"], smoothing_matrix(2, 0.1)
    budgets = plan_budgets(1.0, 9, matrix, matrix)
    assert budgets[[0, -1]] == near(expected["by quantification: first and last"], rel=0, abs=1e-12)
    assert budgets[1:-1] == near(expected["by quantification: middle"], rel=0, abs=1e-12)
    every = plan_budgets(1.0, 9, matrix, matrix, "upper-bound")
    assert every == near(expected["by upper bound: every"], rel=0, abs=1e-12)


@check("skip: TPL of one skipped landmark in a long series of eps=1 releases = 2(sup-1)")
def _(section):
    for s, expected in section.items():
        matrix, budgets = smoothing_matrix(2, float(s)), np.ones(4001)
        budgets[2000] = 0.0
        assert temporal_loss(budgets, matrix, matrix).total[2000] == near(expected, abs=1e-12)
        assert 2 * (LossFunction(matrix).supremum(1.0) - 1) == near(expected, abs=1e-12)


@check("staypoints")
def _(section):
    assert section["R_m"] == STAY_RADIUS_M
    for case in section["cases"]:
        assert case["metric"] == "haversine"
        assert case["nominal_pct"] is not None  # what the paper calls it: never reproduced, never shown
        where = recording(case["dataset"])
        how = {"distance_m": case["D_m"], "duration_s": 60 * case["T_min"], "reading": case["preset"]}
        mask = stay_point_mask(*where, **how)
        digest = hashlib.sha256("".join("01"[int(stays)] for stays in mask).encode()).hexdigest()[:16]
        assert (len(mask), digest) == (case["n"], case["sha256"])
        assert 100 * mask.mean() == near(case["pct"], abs=0.051)
        groups = stay_points(*where, **how).tolist()
        assert groups == case["groups"]
        assert len(groups) == case["stays"]


@check("staypoints_tiny")
def _(cases):
    for case in cases:
        how = {"distance_m": case["D_m"], "duration_s": case["T_s"], "reading": case["preset"]}
        assert stay_points(case["lon"], case["lat"], case["t"], **how).tolist() == case["groups"], case["name"]


@pytest.fixture(autouse=True)
def _present(shared):
    """Skips where the published vectors are not beside the checkout."""


@each("section", CHECKS)
def test_a_section_of_the_vectors_holds_and_no_value_of_it_is_left_out(section):
    unread = set()
    values = tracked(files()[section], section, unread)
    assert unread
    CHECKS[section](values)
    assert not unread


def test_every_section_of_every_file_has_a_check():
    assert set(files()) - {"deployments-registry"} == set(CHECKS)  # the structure of a file, and no values


def test_a_value_that_no_check_reads_is_found():
    unread = set()
    case = tracked({"a": [{"b": 1, "c": [2, 3]}], "note": "a remark"}, "x", unread)
    assert unread == {"x/a/0/b", "x/a/0/c"}
    assert case["a"][0]["b"] == 1
    assert unread == {"x/a/0/c"}
