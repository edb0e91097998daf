"""The table of runs: names, tags, columns, order, filter, CSV."""

import csv
from hashlib import sha256
from io import StringIO

import pytest

from dashboard.experiments import run_table
from dashboard.experiments.models import Experiment
from dashboard.experiments.naming import generated_name
from dashboard.experiments.run_parameters import parameters
from dashboard.experiments.services import submit_experiment
from dashboard.experiments.templatetags.sparkline import sparkline
from privacy_engine.experiments import ExperimentSpec, presets

API = "/api/v1/experiments/"
CSV = f"{API}runs/"


def spec(mechanisms=("skip", "uniform"), levels=(0.1, 1, 2), radius_m=200, **changes):
    releases = [{"mechanism": {"name": f"landmark-{name}", "epsilon": 1, "radius_m": radius_m}} for name in mechanisms]
    grid = {"release": releases, "release.mechanism.epsilon": list(levels)}
    base = {"landmarks": {"name": "synthetic", "share": 0.4, "distribution": "uniform", "seed": 0}}
    described = {"base": base, "grid": grid, "repetitions": 2, "seed": 1, "metrics": ["error"]}
    return ExperimentSpec.parse(described | changes)


@pytest.fixture
def run(owner, ready_dataset):
    def submit(described=None, **more):
        return submit_experiment(owner=owner, dataset=ready_dataset, spec=described or spec(), **more)

    return submit


class TestNames:
    def test_are_of_mechanisms_levels_radius_and_data_and_then_of_what_differs(self, run, owner_api, ready_dataset):
        first = run()
        assert first.name == f"Skip, Uniform · ε 0.1–2 / 200 m · {ready_dataset.name}"
        assert run(spec(repetitions=3, seed=5)).name == f"{first.name} · repetitions 3, seed 5"
        assert [run().name, run().name] == [f"{first.name} (2)", f"{first.name} (3)"]
        assert [run(name="Mine").name for _ in range(2)] == ["Mine", "Mine"]
        body = {"dataset": str(ready_dataset.pk), "spec": spec(levels=(1,)).model_dump()}
        planned = owner_api.post(f"{API}plan/", body).json()["name"]
        assert planned == f"Skip, Uniform · ε 1 / 200 m · {ready_dataset.name}"
        titled = owner_api.post(f"{API}plan/", body | {"title": "Figure 6"}).json()["name"]
        assert titled == f"Figure 6 · {ready_dataset.name}"

    def test_of_a_preset_are_its_title_and_without_a_mechanism_its_landmarks(self, owner):
        row = submit_experiment(owner=owner, preset=presets.parse({"name": "temporal-distance", "repetitions": 2}))
        assert row.name == "Temporal distance by distribution · synthetic series"
        assert generated_name(row.spec, "Taxi") == "Random landmarks · Taxi"


class TestParameters:
    def test_every_preset_has_texts_and_titles_of_its_own(self):
        seen = sha256()
        for preset in list(presets):
            found = parameters(presets.parse({"name": preset.registered_name()}).spec().model_dump())
            assert all(one.text and one.title for one in found.values()), preset
            assert len({one.title for one in found.values()}) == len(found), preset
            seen.update(repr([preset.registered_name(), *found.items()]).encode())
        assert seen.hexdigest()[:8] == "9bbffa9d", "a table of experiments has other texts"

    def test_levels_have_their_radius_and_parts_of_a_whole_a_per_cent_sign(self):
        swept = spec().model_dump()
        found = parameters(swept)
        assert found["release.mechanism.epsilon"].text == "0.1–2 / 200 m"
        assert found["landmarks.share"].text == "40 %"
        swept["grid"]["landmarks.share"] = [0.2, 0.4]
        assert parameters(swept)["landmarks.share"].text == "20, 40 %"


class TestColumns:
    def keys(self, runs):
        columns = run_table.columns_of(runs)
        return [one.key for one in run_table.chosen_columns(columns, [])]

    def test_those_in_which_runs_differ_are_shown_and_of_one_the_usual_ones(self, run):
        first = run()
        runs = run_table.runs_of([first, run(spec(levels=(1,))), run(spec(("skip",)))])
        assert self.keys(runs) == ["release.mechanism", "release.mechanism.epsilon", "measure.error"]
        usual = ["data", "release.mechanism", "release.mechanism.epsilon", "measure.error"]
        assert self.keys(run_table.runs_of([first])) == usual

    def test_measures_have_the_range_of_the_cells(self, run):
        row = run()
        (one,) = row.measured
        assert 0 < one["low"] < one["high"]
        assert [curve["mechanism"] for curve in one["curves"]] == ["landmark-skip", "landmark-uniform"]
        assert [len(curve["y"]) for curve in one["curves"]] == [3, 3]
        assert max(max(curve["y"]) for curve in one["curves"]) == one["high"]

    def test_order_is_of_values_with_those_without_one_last(self, run, owner):
        near, far = run(spec(radius_m=20)), run(spec(levels=(2, 5)))
        other = submit_experiment(owner=owner, preset=presets.parse({"name": "temporal-distance", "repetitions": 2}))
        runs = run_table.runs_of([far, other, near])
        level = "release.mechanism.epsilon"
        assert [one.row for one in run_table.in_order(runs, level)] == [near, far, other]
        assert [one.row for one in run_table.in_order(runs, f"-{level}")] == [far, near, other]
        assert [one.row for one in run_table.in_order(runs, "unknown")] == [far, other, near]


def test_columns_tags_and_order_follow_the_address(owner_page, run):
    first, second = run(name="First"), run(spec(seed=7), name="Second")
    page = owner_page.get("/experiments/?ordering=seed&columns=seed").content.decode()
    assert page.index(">First<") < page.index(">Second<")
    assert 'aria-sort="ascending"' in page
    assert 'data-label="Seed">7</td>' in page
    assert 'data-label="Level ε"' not in page
    Experiment.objects.filter(pk=second.pk).update(stored_tags=",paper,")
    page = owner_page.get("/experiments/?tag=paper").content.decode()
    assert ">Second<" in page
    assert str(first.pk) not in page
    page = owner_page.get("/experiments/?kind=stream").content.decode()
    assert "None of your 2 experiments" in page
    row = run()
    Experiment.objects.filter(pk=row.pk).update(measured=[])
    assert "sparkline" in owner_page.get("/experiments/").content.decode()
    before = row.measured
    row.refresh_from_db()
    assert row.measured == before


class TestApi:
    def test_tags_are_set_and_found(self, owner_api, run):
        row, other = run(), run()
        url = f"{API}{row.pk}/"
        assert owner_api.patch(url, {"tags": ["paper", "fig 6"]}).json()["tags"] == ["paper", "fig 6"]
        assert [one["id"] for one in owner_api.get(f"{API}?tag=fig 6").json()["results"]] == [str(row.pk)]
        assert [one["id"] for one in owner_api.get(f"{API}?search=paper skip").json()["results"]] == [str(row.pk)]
        assert owner_api.get(f"{API}?kind=stream").json()["results"] == []
        assert len(owner_api.get(f"{API}?kind=trajectory").json()["results"]) == 2
        refused = owner_api.patch(f"{API}{other.pk}/", {"tags": ["a" * 31]})
        assert refused.status_code == 400
        assert refused.json()["errors"][0]["field"] == "tags"

    def test_csv_has_every_column_of_the_filtered_runs(self, owner_api, run):
        row = run(name="=1+1")
        run(spec(seed=9))
        answer = owner_api.get(f"{CSV}?search=1%2B1")
        assert answer["Content-Type"].startswith("text/csv")
        (found,) = csv.DictReader(StringIO(b"".join(answer).decode()))
        assert (found["id"], found["name"], found["Level ε"]) == (str(row.pk), "'=1+1", "0.1–2 / 200 m")
        assert float(found["Mean absolute error, m (least)"]) == row.measured[0]["low"]
        assert float(found["seconds"]) >= 0


def test_a_sparkline_has_a_line_where_there_are_two_points():
    assert 'd="M2.0 22.0L86.0 2.0"' in sparkline([{"mechanism": None, "y": [1.0, None, 3.0]}])
    assert sparkline([{"mechanism": "landmark-skip", "y": [1.0]}]) == sparkline([]) == "–"
