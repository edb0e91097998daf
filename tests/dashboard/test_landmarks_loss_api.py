"""A landmark set's report and budgets for a target: the engine's numbers, refusals and permissions."""

import csv
import io
import json

import numpy as np
import pytest

from dashboard.landmarks import correlation, report
from dashboard.landmarks.services import mark_landmarks
from dashboard.storage import parquet
from privacy_engine.accounting import planning, temporal
from privacy_engine.accounting.estimation import NOTE, estimate_correlation
from privacy_engine.analysis import correlation as correlations
from privacy_engine.analysis import simulated_losses as simulated
from privacy_engine.analysis.forecast import simulated_budgets
from privacy_engine.data import Trajectory
from privacy_engine.mechanisms.landmark.adaptive import Adaptive
from privacy_engine.mechanisms.landmark.event_level import EventLevel
from privacy_engine.mechanisms.landmark.joint import Joint
from privacy_engine.mechanisms.landmark.uniform import Uniform
from tests.dashboard.api_helpers import first_error, refused

PLANS = "/api/v1/budget-plans/"
NEAR = {"n": 2, "s": 0.1, "diameter_m": 200}
NAMED = {"alpha": 1.0, "radius_m": 200, "correlation": NEAR}
PARIS_MASK = np.isin(np.arange(8), [0, 2, 4, 7])


def loss_of(landmark_set):
    return f"/api/v1/landmark-sets/{landmark_set.pk}/loss/"


def loss(api, landmark_set, query=None):
    """The report for states one radius apart, where the query names no distance and no cells: levels are as given."""
    requested = query or {}
    known = {} if "cell_m" in requested else {"diameter_m": requested.get("radius_m", "1")}
    return api.get(loss_of(landmark_set), known | requested)


def row_of(answer, name):
    return next(row for row in answer.json()["mechanisms"] if row["name"] == name)


class TestReport:
    @pytest.mark.parametrize("bound", ["published", "bridge"])
    def test_is_the_engines_answer_and_reads_no_position(self, owner_api, landmark_set, monkeypatch, bound):
        with monkeypatch.context() as patch:
            patch.setattr(parquet, "read_table", lambda *_: pytest.fail("a position was read"))
            answer = loss(owner_api, landmark_set, {"n": "3", "s": "0.01", "epsilon": "2", "bound": bound})
        found, matrix, whole = row_of(answer, "landmark-uniform"), temporal.smoothing_matrix(3, 0.01), answer.json()
        case = Uniform(epsilon=2.0, radius_m=1.0).budgets(PARIS_MASK), PARIS_MASK, matrix, matrix
        assert found["joint"] == temporal.landmark_temporal_loss(*case, bound=bound).tolist()
        assert found["own"] == temporal.landmark_own_loss(*case, bound=bound).tolist()
        for one in ("published", "bridge"):
            assert found[one]["joint"] == temporal.landmark_temporal_loss(*case, bound=one).max()
            assert found[one]["own"] == temporal.landmark_own_loss(*case, bound=one).max()
            assert found[one]["landmarks_only"] == pytest.approx(temporal.landmark_temporal_loss(*case, bound=one)[0])
        assert found["level"] == pytest.approx(2.0)
        assert (whole["bound"], whole["count"], whole["points"], whole["share"], whole["runs"]) == (bound, 4, 8, 0.5, 4)
        assert whole["average_temporal_distance"] == 1.0
        assert whole["landmarks"] == [[0, 1], [2, 3], [4, 5], [7, 8]]

    def test_the_bridge_comes_first_where_the_matrices_are_of_one_chain(self, owner_api, landmark_set, vectors):
        assert loss(owner_api, landmark_set).json()["bound"] == "bridge"
        query = {"backward": "[[0.9, 0.1], [0.5, 0.5]]", "forward": "[[0.5, 0.5], [0.1, 0.9]]"}
        found = loss(owner_api, landmark_set, query).json()
        assert found["bound"] == "published"
        assert found["mechanisms"][0]["bridge"] is None
        assert "not each other's reversal" in found["why"]
        query = {"forward": json.dumps(vectors["landmark_tpl_not_a_bound"]["P"]), "backward": "reversal"}
        found = loss(owner_api, landmark_set, query).json()
        assert (found["bound"], found["correlation"]["kind"]) == ("bridge", "given")
        assert found["correlation"]["mismatch"] < 1e-9
        uniform = next(row for row in found["mechanisms"] if row["name"] == "landmark-uniform")
        assert uniform["bridge"]["joint"] > uniform["published"]["joint"]

    @pytest.mark.parametrize("bound", ["published", "bridge"])
    def test_what_depends_on_the_run_is_simulated(self, owner_api, landmark_set, bound, monkeypatch):
        found = row_of(loss(owner_api, landmark_set, {"bound": bound, "radius_m": "200"}), "landmark-adaptive")
        how, matrix = Adaptive(epsilon=1.0, radius_m=200.0), temporal.smoothing_matrix(2, 0.1)
        assert found["simulated"]["runs"] == 20
        runs = simulated_budgets(how, PARIS_MASK, 20)
        losses = [temporal.landmark_temporal_loss(one, PARIS_MASK, matrix, matrix, bound=bound) for one in runs]
        assert found["joint"] == np.median(losses, axis=0).tolist()
        assert found["joint_low"] == np.min(losses, axis=0).tolist()
        assert found["joint_high"] == np.max(losses, axis=0).tolist()
        highest = np.max(losses, axis=1)
        assert found[bound]["joint"] == np.median(highest)
        assert found[bound]["least"]["joint"] == highest.min() < found[bound]["greatest"]["joint"] == highest.max()
        assert found["level"] == 1.0, "what is guaranteed"
        assert "simulated" in found["simulated"]["note"]
        for budgets in simulated_budgets(how, PARIS_MASK, 60):
            case = budgets, PARIS_MASK, matrix, matrix
            assert temporal.landmark_temporal_loss(*case, bound=bound).max() <= found[bound]["most"]["joint"]
            assert temporal.landmark_own_loss(*case, bound=bound).max() <= found[bound]["most"]["own"]
        monkeypatch.setattr(simulated, "MOST_EVENTS", 7)
        found = row_of(loss(owner_api, landmark_set, {"bound": bound}), "landmark-adaptive")
        assert (found["simulated"]["runs"], found["joint_low"]) == (0, None)
        assert max(found["joint"]) == found[bound]["joint"] == found[bound]["most"]["joint"]
        assert "no run exceeds" in found["simulated"]["note"]

    def test_takes_parameters_and_counts_a_shared_draw_once(self, owner_api, landmark_set):
        own = {"landmark-adaptive": {"redistribution": "absorption"}, "landmark-planned": {"step_variance_m2": 1e9}}
        answer = loss(owner_api, landmark_set, {"radius_m": "50", "parameters": json.dumps(own)})
        assert answer.json()["radius_m"] == 50.0
        adaptive, planned = row_of(answer, "landmark-adaptive"), row_of(answer, "landmark-planned")
        assert adaptive["parameters"]["redistribution"] == "absorption"
        assert (planned["parameters"]["step_variance_m2"], planned["parameters"]["radius_m"]) == (1e9, 50.0)
        usual = row_of(loss(owner_api, landmark_set, {"radius_m": "50"}), "landmark-planned")
        assert usual["joint"] != planned["joint"]
        found, matrix = row_of(loss(owner_api, landmark_set), "landmark-joint"), temporal.smoothing_matrix(2, 0.1)
        mechanism = Joint(epsilon=1.0, radius_m=1.0, step_variance_m2=250_000.0)
        own, shared = mechanism.independent(mechanism.budgets(PARIS_MASK), PARIS_MASK)
        assert 0 < shared < 1
        case = own, PARIS_MASK, matrix, matrix
        assert found["joint"] == pytest.approx(
            temporal.landmark_temporal_loss(*case, bound="bridge") + shared, rel=1e-12
        )
        assert found["own"] == pytest.approx(
            temporal.landmark_own_loss(*case, bound="bridge") + shared * PARIS_MASK, rel=1e-12
        )
        assert found["bridge"]["landmarks_only"] == pytest.approx(found["joint"][0], rel=1e-12)
        assert found["level"] == pytest.approx(1.0, rel=1e-12)
        assert found["highest_budget"] == pytest.approx(max(shared, own.max()))

    def test_a_mechanism_without_a_temporal_loss_states_why(self, owner_api, landmark_set, monkeypatch):
        monkeypatch.setattr(EventLevel, "temporal_loss_undefined", "its draws share noise.", raising=False)
        found = row_of(loss(owner_api, landmark_set), "event-level")
        assert found["why_not"] == "not defined: its draws share noise."
        assert found["joint"] is None

    def test_estimated_is_marked_as_data_dependent(self, owner_api, landmark_set, paris_day):
        answer = loss(owner_api, landmark_set, {"cell_m": "1500", "smoothing": "0.5"})
        found = answer.json()
        assert found["correlation"]["data_dependent"] is True
        assert found["correlation"]["note"] == NOTE
        stored = Trajectory(paris_day.lon.round(7), paris_day.lat.round(7), paris_day.time_s)
        expected = estimate_correlation(stored, cell_m=1500.0, smoothing=0.5)
        distance_m = found["correlation"]["diameter_m"]
        assert distance_m == expected.distances_m.max() > 1500
        case = np.full(8, 0.2 * distance_m), PARIS_MASK, expected.backward, expected.forward
        joint = temporal.landmark_temporal_loss(*case, bound="bridge")
        assert row_of(answer, "landmark-uniform")["joint"] == pytest.approx(joint, rel=1e-12)
        assert loss(owner_api, landmark_set).json()["correlation"]["data_dependent"] is False

    def test_grows_with_the_distance_of_the_states_which_must_be_given(self, owner_api, landmark_set):
        """States 1,000 m apart, ε = 1 per 200 m: five times the level, both bounds, own and together."""
        near = loss(owner_api, landmark_set, {"epsilon": "5"}).json()
        far = loss(owner_api, landmark_set, {"radius_m": "200", "diameter_m": "1000"}).json()
        assert (far["epsilon_at_distance"], far["correlation"]["diameter_m"]) == (pytest.approx(5.0), 1000.0)
        for name in ("event-level", "landmark-uniform", "landmark-skip"):
            one, other = ({row["name"]: row for row in found["mechanisms"]}[name] for found in (near, far))
            for key in ("joint", "own", "level", "highest_budget"):
                assert other[key] == pytest.approx(one[key], rel=1e-12)
        for query in ({}, {"s": "1"}, {"forward": "[[0.5, 0.5], [0.1, 0.9]]"}):
            answer = owner_api.get(loss_of(landmark_set), query)
            assert refused(answer) == (400, "diameter_m")
            assert first_error(answer)["rule"].startswith("given: how far apart the states lie at most")

    def test_is_estimated_once(self, owner_api, landmark_set, monkeypatch):
        query, calls = {"cell_m": "800"}, []
        monkeypatch.setattr(
            correlations, "estimate_correlation", lambda *a, **k: calls.append(k) or estimate_correlation(*a, **k)
        )
        for _ in range(3):
            assert loss(owner_api, landmark_set, query).status_code == 200
        loss(owner_api, landmark_set, query | {"smoothing": "2"})
        assert [call["smoothing"] for call in calls] == [1.0, 2.0]

    def test_fail_names_the_field(self, owner_api, landmark_set, monkeypatch):
        for field, queries in {
            "epsilon": [{"epsilon": "0"}, {"epsilon": "nan"}],
            "s": [{"s": "-1"}],
            "n": [{"n": "401"}],
            "bound": [{"n": "51", "bound": "bridge"}, {"bound": "exact"}],
            "series": [{"series": "1"}],
            "points": [{"points": "5"}],
            "format": [{"format": "xml"}],
            "backward": [
                *({"backward": "[[1, 0], [0.5, 0.6]]"}, {"forward": "reversal"}),
                {"forward": "reversal", "backward": "reversal"},
            ],
            "forward": [{"backward": "reversal"}, {"forward": "[[1, 0]]"}],
            "cell_m": [{"cell_m": "0"}, {"cell_m": "inf"}, {"cell_m": "100", "forward": "[[1]]"}],
            "smoothing": [{"cell_m": "100", "smoothing": "-1"}, {"smoothing": "1"}],
            "radius_m": [{"radius_m": "0", "diameter_m": "1"}],
            "diameter_m": [*({"diameter_m": one} for one in ("0", "inf", "3e7")), {"cell_m": "100", "diameter_m": "1"}],
            "parameters": [{"parameters": text} for text in ("{", "[]", '{"laplace": {}}')],
            "parameters.w-event": [{"parameters": '{"w-event": {"epsilon": 2}}'}],
            "parameters.w-event.window": [{"parameters": '{"w-event": {"window": 0}}'}],
            "parameters.landmark-adaptive.reading": [{"parameters": '{"landmark-adaptive": {"reading": "x"}}'}],
        }.items():
            for query in queries:
                answer = loss(owner_api, landmark_set, query)
                assert refused(answer) == (400, field), query
                assert first_error(answer)["rule"]
        monkeypatch.setattr(correlation, "MAX_EVENTS", 8)
        assert loss(owner_api, landmark_set, {"cell_m": "500"}).status_code == 200
        monkeypatch.setattr(correlation, "MAX_EVENTS", 7)
        assert refused(loss(owner_api, landmark_set, {"cell_m": "500"})) == (400, "cell_m")
        monkeypatch.setattr(report, "MAX_EVENTS", 7)
        assert refused(loss(owner_api, landmark_set)) == (400, "series")

    def test_csv_has_every_event_of_the_series(self, owner_api, landmark_set, owner, make_dataset, paris_day):
        answer = loss(owner_api, landmark_set, {"format": "csv", "s": "0.1"})
        assert answer.headers["Content-Disposition"].endswith('_landmark-loss.csv"')
        lines = b"".join(answer.streaming_content).decode().splitlines()
        about = [line for line in lines if line.startswith("#")]
        rows = list(csv.DictReader(io.StringIO("\n".join(lines[len(about) :]))))
        assert "epsilon=1" in about[0]
        found = row_of(loss(owner_api, landmark_set, {"s": "0.1"}), "landmark-uniform")
        assert [float(row["landmark-uniform joint"]) for row in rows] == found["joint"]
        assert [row["landmark"] for row in rows] == list("10101001")
        answer = loss(owner_api, landmark_set, {"format": "csv", "cell_m": "900"})  # an estimate carries the warning
        assert NOTE in b"".join(answer.streaming_content).decode()
        answer = loss(owner_api, landmark_set, {"format": "json"})
        assert "attachment" in answer.headers["Content-Disposition"]
        assert answer.json() == loss(owner_api, landmark_set).json()
        both = make_dataset(owner, paris_day, paris_day)
        marks = mark_landmarks(owner=owner, dataset=both, method={"name": "manual", "events": [0, 9, 10]})
        assert [loss(owner_api, marks, {"series": str(i)}).json()["count"] for i in (0, 1)] == [1, 2]


class TestPlans:
    def test_gives_the_published_budgets_and_less_for_states_beyond_the_radius(self, owner_api, vectors):
        case = vectors["contpl"]["smooth n=2 s=.1, target alpha=1.0"]
        body = NAMED | {"n": 50}
        found = owner_api.post(PLANS, body).json()
        assert found["first"] == found["last"] == pytest.approx(case["by quantification: first and last"], abs=1e-12)
        assert found["middle"] == pytest.approx(case["by quantification: middle"], abs=1e-12)
        assert found["total"] == pytest.approx([1.0] * 50, abs=1e-12)
        even = owner_api.post(PLANS, body | {"method": "upper-bound"}).json()
        assert even["first"] == even["middle"] == pytest.approx(case["by upper bound: every"], abs=1e-12)
        assert even["highest"] <= 1.0 + 1e-12
        near = owner_api.post(PLANS, body).json()
        far = owner_api.post(PLANS, body | {"correlation": NEAR | {"diameter_m": 1000}}).json()
        assert far["budget"] == pytest.approx(np.array(near["budget"]) / 5)
        assert far["user_level"] == pytest.approx(1 / 50 / 5)
        matrix = temporal.smoothing_matrix(2, 0.1)
        assert temporal.temporal_loss(5 * np.array(far["budget"]), matrix, matrix).total.max() == pytest.approx(1.0)
        assert far["total"] == pytest.approx([1.0] * 50, abs=1e-12)

    def test_takes_matrices_and_the_length_of_a_landmark_set(self, owner_api, landmark_set):
        forward = [[0.7, 0.3], [0.4, 0.6]]
        body = {"alpha": 2, "radius_m": 1, "n": 7, "correlation": {"forward": forward, "backward": "", "diameter_m": 1}}
        found = owner_api.post(PLANS, body).json()
        budgets = planning.plan_budgets(2.0, 7, None, forward)
        assert found["budget"] == budgets.tolist()
        assert found["forward"] == temporal.temporal_loss(budgets, None, forward).forward.tolist()
        named = {"alpha": 1, "radius_m": 200, "landmark_set": str(landmark_set.pk)}
        assert owner_api.post(PLANS, named | {"correlation": NEAR}).json()["n"] == 8
        short = [owner_api.post(PLANS, NAMED | {"n": n}).json() for n in (1, 2)]
        assert (short[0]["first"], short[1]["middle"]) == (1.0, None)
        body = named | {"correlation": {"cell_m": 900}}
        assert owner_api.post(PLANS, body).json()["correlation"]["data_dependent"] is True

    def test_fail_names_the_field(self, owner_api):
        right = NAMED | {"n": 5}
        correlations = {
            "correlation": [[]],
            "correlation.s": [{"s": -1}, {"s": "x"}],
            "correlation.more": [{"more": 1}],
            "correlation.cell_m": [{"cell_m": 100}],
            "correlation.forward": [{"forward": wrong} for wrong in ([[1, 0], [1]], [[True]], {"a": 1})],
            "correlation.backward": [{"s": 0, "diameter_m": 9}],
            "correlation.diameter_m": [{}, {"diameter_m": 0}, {"diameter_m": "far"}],
        }
        for field, body in [
            *((field, right | {"correlation": one}) for field, wrong in correlations.items() for one in wrong),
            *((name, {key: value for key, value in right.items() if key != name}) for name in ("alpha", "n")),
            *(("alpha", right | {"alpha": alpha}) for alpha in (0, "x", -1)),
            *(("n", right | {"n": n}) for n in (0, 2.5, 1_000_001)),
            *(("radius_m", right | {"radius_m": radius_m}) for radius_m in (0, None)),
            ("method", right | {"method": "guess"}),
            ("points", right | {"points": 1}),
        ]:
            assert refused(owner_api.post(PLANS, body)) == (400, field), body


def test_every_registered_mechanism_has_a_row(owner_api, landmark_set):
    rows = {row["name"]: row for row in loss(owner_api, landmark_set).json()["mechanisms"]}
    assert Adaptive.registered_name() in rows
    assert [name for name, row in rows.items() if row["why_not"]] == []
    assert [name for name, row in rows.items() if row["simulated"]] == ["landmark-adaptive"]
