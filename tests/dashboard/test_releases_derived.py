"""Post-processing of a finished release, free of charge and without the original; the losses its charts show."""

import io
import itertools
import json
from unittest.mock import Mock

import numpy as np
import pytest

from dashboard.core.errors import Conflict
from dashboard.datasets import ledger
from dashboard.datasets.models import BudgetEntry
from dashboard.datasets.services import set_budget
from dashboard.jobs.models import State
from dashboard.releases import downloads, execution, files, services
from dashboard.releases.models import Release
from dashboard.releases.trajectory import drawing
from dashboard.storage import data_files, parquet
from privacy_engine import exports, formats, metrics
from privacy_engine.accounting import estimation, temporal
from privacy_engine.accounting.pairwise import pairwise_loss
from privacy_engine.analysis import losses as loss
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.errors import ParameterErrors
from privacy_engine.mechanisms.base import mechanism
from privacy_engine.mechanisms.landmark.skip import Skip
from privacy_engine.releases import spec
from tests.dashboard.api_helpers import RELEASES, first_error, refused, release_url
from tests.dashboard.release_runs import charges, drawn, executed, fail, interrupted
from tests.engine.test_temporal_distance import RADII, STAY, PlacedChain, line

WALK = {"name": "random-walk-smoother", "step_variance_m2": 250_000.0}
CAUSAL = {"name": "causal-filter", "step_variance_m2": 250_000.0}
SKIP = {"name": "landmark-skip", "epsilon": 1.0, "radius_m": 200.0}
OU = {"name": "ou-smoother"}


@pytest.fixture
def derive(done):
    """``derive(step, …, source=…, key=…)``: a waiting release made from the finished one."""

    def make(*steps, source=None, key=""):
        parsed = spec.parse_steps(list(steps or [WALK]))
        return services.derive_release(source=source or done, steps=parsed, idempotency_key=key)

    return make


class TestSubmit:
    def test_nothing_is_charged_and_both_are_named(self, derive, done, ready_dataset):
        set_budget(dataset=ready_dataset, epsilon=1.0, radius_m=200.0)  # it is used up
        before = ledger.spent(ready_dataset)
        made = derive()
        assert ledger.spent(ready_dataset) == before
        assert charges(made) == []
        assert (made.derived_from, made.source) == (done, {"release": str(done.pk), "sha256": done.data_sha256})
        assert made.title == "Skip + Random-walk smoother · ε 1 / 200\u202fm"
        assert json.loads(json.dumps(made.spec)) == made.parsed_spec.model_dump() == done.spec | {"postprocess": [WALK]}
        services.cancel_release(release=made)
        assert ledger.spent(ready_dataset) == before

    def test_over_steps_an_experiment_and_too_many(self, derive, submit):
        once = executed(derive(WALK))
        twice = executed(derive(CAUSAL, source=once))
        assert twice.state == State.DONE
        assert twice.spec["postprocess"] == [WALK, CAUSAL]
        assert twice.source["release"] == str(once.pk)
        made = executed(derive(source=executed(submit(seed=7))))
        assert made.seeded
        assert downloads.label(made)["text"].startswith("NOT PRIVATE")
        full = executed(submit(steps=[WALK] * 8))
        with pytest.raises(ParameterErrors, match="at most 8 steps"):
            derive(source=full)

    def test_fail_discarded_meanwhile(self, derive, done):
        stale = Release.objects.get(pk=done.pk)
        services.discard_release(release=done)
        with pytest.raises(Conflict, match="discarded"):
            derive(source=stale)
        assert not Release.objects.exists()


class TestIdempotency:
    def test_fail_another_request_under_the_same_key(self, derive, submit, done):
        derive(key="monday")
        with pytest.raises(Conflict, match="another request"):
            derive(CAUSAL, key="monday")
        with pytest.raises(Conflict, match="another request"):
            derive(source=executed(submit("landmark-skip", leading="gap")), key="monday")
        assert derive(key="monday").spec_digest == submit("landmark-skip", leading="gap", steps=[WALK]).spec_digest
        with pytest.raises(Conflict, match="another request"):
            submit("landmark-skip", leading="gap", steps=[WALK], key="monday")

    def test_fail_a_draw_with_other_steps_under_the_same_key(self, submit):
        submit(key="monday")
        with pytest.raises(Conflict, match="another request"):
            submit(key="monday", steps=[WALK])
        assert BudgetEntry.objects.count() == 1


class TestDerivation:
    def test_it_is_what_the_run_with_the_steps_would_have_made(self, submit, derive, paris_day):
        whole = executed(submit("landmark-planned", seed=3, steps=[WALK, CAUSAL]))
        made = executed(derive(WALK, CAUSAL, source=executed(submit("landmark-planned", seed=3))))
        (one, event), (other, same) = (data_files.read_release("trajectory", row.data_path)[0] for row in (whole, made))
        assert np.array_equal(one.lon, other.lon)
        assert np.array_equal(one.lat, other.lat)
        assert np.array_equal(event, same)
        assert made.summary == whole.summary
        assert made.owner_view == whole.owner_view
        errors = metrics.error_m(paris_day, Mock(event=same, series=other))  # measured again for the owner
        assert made.owner_view["mae_m"] == pytest.approx(errors.mean(), abs=0.01)
        assert made.owner_view != made.derived_from.owner_view

    def test_it_works_without_the_original_there(self, derive, done):
        made = derive(CAUSAL)
        made.dataset.points_path.unlink()
        made.dataset.original_path.unlink()
        (release,) = drawing.derived(made, Mock())
        (source,) = files.read_releases(done)
        assert np.array_equal(release.event, source.event)
        assert np.array_equal(release.budgets, source.budgets)
        assert not np.array_equal(release.series.lon, source.series.lon)

    def test_reading_back_is_the_release_that_was_drawn_also_by_an_older_cairn(self, paris_day, landmark_set, submit):
        done = executed(submit("landmark-skip", leading="gap", seed=9))
        (read,) = files.read_releases(done)
        (fresh,) = done.parsed_spec.release([paris_day], [LandmarkSet(landmark_set.mask)])
        assert read.series.lon == pytest.approx(fresh.series.lon, abs=1e-9)
        for column in ("event", "budgets", "fresh", "sd_m"):
            assert np.array_equal(getattr(read, column), getattr(fresh, column))
        done = executed(submit("landmark-skip", seed=9))
        columns = parquet.read_table(done.budgets_path)
        with_sd = files.read_releases(done)[0].sd_m
        older = {name: columns[name].to_numpy() for name in ("series", "budget", "fresh")}
        parquet.write_columns(done.budgets_path, [older])
        assert files.read_releases(done)[0].sd_m == pytest.approx(with_sd)

    @pytest.mark.parametrize("name", [cls.registered_name() for cls in mechanism.mechanisms.of("trajectory")])
    def test_every_mechanism_can_be_smoothed_afterwards(self, derive, submit, name):
        whole = executed(submit(name, seed=3, steps=[WALK]))
        made = executed(derive(WALK, source=executed(submit(name, seed=3))))
        one, other = (data_files.read_data("trajectory", row.data_path)[0] for row in (whole, made))
        assert np.array_equal(one.lon, other.lon)

    def test_every_series_is_read_back_separately(self, owner, make_dataset, paris_day):
        done = drawn(owner, make_dataset(owner, paris_day, paris_day), [0, 9], SKIP)
        assert [np.flatnonzero(~one.fresh).tolist() for one in files.read_releases(done)] == [[0], [1]]
        made = executed(services.derive_release(source=done, steps=spec.parse_steps([CAUSAL])))
        assert (made.state, made.summary["published"]) == (State.DONE, 16)


class TestFaults:
    def test_a_failure_leaves_no_file_and_the_source_alone(self, derive, done, files, monkeypatch):
        made, source = derive(), done.data_path.read_bytes()
        before = files()
        made = interrupted(made, monkeypatch, fail)
        assert (made.state, made.error["code"]) == (State.FAILED, "internal")
        assert files() == before
        again = executed(services.retry_release(release=made))
        assert (again.state, again.spec, again.source) == (State.DONE, made.spec, made.source)
        assert charges(again) == []
        assert done.data_path.read_bytes() == source


class TestDiscardedSource:
    def test_the_made_one_stays_and_names_it_still(self, derive, done, django_capture_on_commit_callbacks):
        made = executed(derive())
        pk, digest = str(done.pk), done.data_sha256
        with django_capture_on_commit_callbacks(execute=True):
            services.discard_release(release=done)
        made.refresh_from_db()
        assert (made.derived_from, made.data_path.exists()) == (None, True)
        assert f"post-processing of release {pk} (sha256 {digest})" in downloads.label(made)["text"]

    def test_where_its_files_or_the_source_is_gone_it_fails_and_states_why(self, derive, done):
        made = derive()
        done.data_path.unlink()
        assert executed(made).error["code"] == "source-gone"
        made = derive()
        services.discard_release(release=done)
        made = executed(made)
        assert (made.state, made.error["code"]) == (State.FAILED, "source-gone")
        with pytest.raises(Conflict, match="discarded"):
            services.retry_release(release=made)


class TestEntryPoints:
    def test_fail_steps_that_are_none_are_named(self, owner_api, body, done, submit):
        def derived(requested, source=done, **more):
            return owner_api.post(release_url(source, "postprocess"), requested, **more)

        before = Release.objects.count()
        for steps, field in (
            ([{"name": "magic"}], "postprocess.0.name"),
            ([OU, {"name": "causal-filter"}], "postprocess.1.step_variance_m2"),
            ([{"name": "causal-filter", "step_variance_m2": -1}], "postprocess.0.step_variance_m2"),
            ([OU] * 9, "postprocess"),
            (7, "postprocess"),
            (["ou-smoother"], "postprocess.0"),
            ([{"name": "ou-smoother", "epsilon": 1}], "postprocess.0.epsilon"),
        ):
            for answer in (owner_api.post(RELEASES, body | {"postprocess": steps}), derived({"postprocess": steps})):
                assert refused(answer) == (400, field), steps
        for nothing in ({}, {"postprocess": []}):
            answer = derived(nothing)
            assert refused(answer) == (400, "postprocess")
        assert Release.objects.count() == before
        answer = derived({"postprocess": [OU]}, submit())
        assert (answer.status_code, first_error(answer)["value"]) == (409, "queued")
        key = {"Idempotency-Key": "monday"}
        assert len({derived({"postprocess": [OU]}, headers=key).json()["id"] for _ in range(3)}) == 1
        assert refused(derived({"postprocess": [WALK]}, headers=key)) == (409, "Idempotency-Key")

    def test_from_listed_steps_to_a_download_with_the_label(self, owner_api, done):
        found = {one["name"]: one for one in owner_api.get("/api/v1/postprocesses/").json()["results"]}
        causal = {"random-walk-smoother": False, "ou-smoother": False, "causal-filter": True}
        assert {name: one["causal"] for name, one in found.items()} == causal
        assert found["ou-smoother"]["short"] == "OU smoother"
        assert "Theorem" in found["causal-filter"]["documentation"]
        assert found["causal-filter"]["fields"][0]["required"]
        answer = owner_api.post(release_url(done, "postprocess"), {"postprocess": [OU], "name": "Smooth"})
        assert answer.status_code == 201
        made = answer.json()
        assert (made["derived_from"], made["postprocess"]) == (str(done.pk), [OU])
        assert made["title"] == "Skip + OU smoother · ε 1 / 200\u202fm"
        assert made["guarantee"] == owner_api.get(release_url(done)).json()["guarantee"]
        execution.run(made["id"])
        text = f"post-processing of release {done.pk} (sha256 {done.data_sha256})"
        for fmt in exports.FORMATS:
            content = owner_api.get(made["urls"]["data"], {"format": fmt}).getvalue()
            assert text.encode() in content, fmt
        read = formats.read(io.BytesIO(owner_api.get(made["urls"]["data"], {"format": "csv"}).getvalue()), name="x.csv")
        assert sum(map(len, read.series)) == done.summary["published"]
        listed = owner_api.get(RELEASES, {"derived_from": str(done.pk)}).json()["results"]
        assert [one["id"] for one in listed] == [made["id"]]


BUDGETS, MASK = np.array([0, 1, 0, 1, 0, 1, 1, 0.0]), np.isin(np.arange(8), [0, 2, 4, 7])


def series(api, release, query=None):
    """The charts' data for states one radius apart, where the query names no distance and no cells: levels as given."""
    requested = query or {}
    known = {} if "cell_m" in requested else {"diameter_m": "200"}
    return api.get(release_url(release, "series"), known | requested)


def test_losses_are_the_engines_whose_states_are_near_or_far(owner_api, done):
    matrix = temporal.smoothing_matrix(3, 0.01)
    for requested in ("", "bridge", "published"):
        found = series(owner_api, done, {"s": "0.01", "n": "3", "bound": requested}).json()["landmark"]
        bound = requested or "bridge"
        joint = temporal.landmark_temporal_loss(BUDGETS, MASK, matrix, matrix, bound=bound)
        assert (found["bound"], found["upper_bound"], found["why"]) == (bound, bound == "bridge", "")
        assert found["joint"] == joint.tolist()
        assert found["own"] == temporal.landmark_own_loss(BUDGETS, MASK, matrix, matrix, bound=bound).tolist()
        assert found["landmarks_only"] == pytest.approx(joint[0], rel=1e-12)
        assert found["level"] == 1.0
    query = {"forward": "[[0.9, 0.1], [0.1, 0.9]]", "backward": "reversal", "diameter_m": "1000"}
    found, matrix = series(owner_api, done, query).json(), [[0.9, 0.1], [0.1, 0.9]]
    assert found["loss"]["total"] == pytest.approx(temporal.temporal_loss(5 * BUDGETS, matrix, matrix).total)
    joint = temporal.landmark_temporal_loss(5 * BUDGETS, MASK, matrix, matrix, bound="bridge")
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
        assert max(found["loss"]["total"]) > temporal.temporal_loss(BUDGETS, STAY, STAY).total.max() + 1


@pytest.mark.parametrize("seconds", [2.0, 0.0])
def test_cells_are_as_far_apart_as_they_lie(owner_api, done, paris_day, monkeypatch, seconds):
    """Each two at their own distance; without time for that all at the largest."""
    monkeypatch.setattr(loss, "pairwise_seconds", lambda *_: 1.0)
    monkeypatch.setattr(loss, "MAX_SECONDS", seconds)
    found = owner_api.get(release_url(done, "series"), {"cell_m": "900", "smoothing": "0.5"}).json()
    stored = Trajectory(paris_day.lon.round(7), paris_day.lat.round(7), paris_day.time_s)
    known = estimation.estimate_correlation(stored, cell_m=900.0, smoothing=0.5)
    sides, apart = (known.backward, known.forward), known.distances_m / 200
    if pairwise := seconds > 0:
        expected = pairwise_loss(BUDGETS, apart, *sides).total
        assert expected.max() < temporal.temporal_loss(BUDGETS * apart.max(), *sides).total.max()
    else:
        expected = temporal.temporal_loss(BUDGETS * apart.max(), *sides).total
    assert found["loss"]["total"] == pytest.approx(expected, rel=1e-9)
    assert found["loss"]["pairwise"] is pairwise
    assert found["correlation"]["diameter_m"] == pytest.approx(known.distances_m.max())


def test_suprema_and_what_no_one_chain_and_no_correlation_have(owner_api, done):
    found = series(owner_api, done, {"s": "0.1"}).json()["loss"]
    limit = temporal.LossFunction(temporal.smoothing_matrix(2, 0.1)).supremum(1.0)
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
    budgets, carried = np.array(found["budget"]), temporal.LossFunction(temporal.smoothing_matrix(2, 0.1))
    own, shared = np.where(MASK, 0.0, budgets), budgets[MASK].sum()
    assert shared > 0
    assert found["loss"]["total"] == pytest.approx(temporal.temporal_loss(own, carried, carried, shared=shared).total)
    joint = temporal.landmark_temporal_loss(own, MASK, carried, carried, bound="bridge") + shared
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
