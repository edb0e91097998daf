"""Dummies beside landmarks: the API, what is stored, and what a release does not publish."""

import json
import math
import re

import numpy as np
import pytest

from dashboard.landmarks import services
from dashboard.landmarks.models import DummyDraw, LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases import downloads
from dashboard.releases.models import Release
from privacy_engine.exports import FORMATS
from tests.dashboard.api_helpers import RELEASES, UNIFORM, first_error, refused, release_url
from tests.dashboard.release_runs import executed

SETS = "/api/v1/landmark-sets/"
COINS = {"name": "dummies-one-sided", "epsilon": 1.0}
HEURISTIC = {"name": "dummies-heuristic", "epsilon": 0.5, "utility": "count", "evaluation": "nearest"}
PARTITIONED = {"name": "dummies-partitioned", "epsilon": 0.5, "utility": "distance", "distance": "wasserstein"}
OPTIMAL = {"name": "dummies-optimal", "epsilon": 0.5, "utility": "distance", "evaluation": "gaps"}


def dummies_url(landmark_set, *parts):
    return "/".join([f"{SETS}{landmark_set.pk}", "dummies", *parts, ""])


class TestDraw:
    def test_answers_201_with_a_set_that_holds_the_landmarks(self, owner_api, landmark_set):
        found = owner_api.get(f"{SETS}{landmark_set.pk}/").json()
        assert (found["source"], found["selection"]) == (None, None)
        for method in [COINS, HEURISTIC, PARTITIONED, OPTIMAL]:
            answer = owner_api.post(dummies_url(landmark_set), {"method": method, "name": "Home and cover"})
            assert answer.status_code == 201, method
            made = answer.json()
            known = (str(landmark_set.pk), "Home and cover", method)
            assert (made["source"], made["name"], made["method"]) == known
            assert (LandmarkSet.objects.get(pk=made["id"]).mask | ~landmark_set.mask).all(), method
            selection = made["selection"]
            assert (selection["landmarks"], selection["dummies"]) == (4, made["count"] - 4), method
            assert selection["series"] == {"landmarks": [4], "dummies": [made["count"] - 4]}, method
            assert (selection["method"], selection["seed"], selection["private"]) == (method, None, True), method
            assert selection["protects"], method
            assert selection["caveats"], method
            assert owner_api.get(made["urls"]["self"]).json() == made, method
        named = owner_api.post(dummies_url(landmark_set), {"method": COINS}).json()["name"]
        assert named == "L′, one-sided coins, ε = 1", "it does not report the source"

    def test_every_series_is_drawn_separately_and_counted(self, owner, owner_api, make_dataset, paris_day):
        two = make_dataset(owner, paris_day, paris_day)
        source = mark_landmarks(owner=owner, dataset=two, method={"name": "manual", "events": [1, 9, 10]})
        made = owner_api.post(dummies_url(source), {"method": HEURISTIC}).json()
        counts = made["selection"]["series"]
        assert counts["landmarks"] == [1, 2]
        marks = LandmarkSet.objects.get(pk=made["id"]).mask
        assert [int(part.sum()) for part in np.split(marks, 2)] == list(np.add(counts["landmarks"], counts["dummies"]))

    def test_a_seeded_draw_is_repeatable_stamped_and_unlike_others(self, owner_api, landmark_set):
        """Each of ten draws without a seed has coins of its own: they are alike once in over a million."""
        coins = COINS | {"epsilon": math.log(2)}
        made = [owner_api.post(dummies_url(landmark_set), {"method": COINS | {"epsilon": 0.001}, "seed": 1}).json()]
        for query in ({}, {"series": 0}):
            events = owner_api.get(made[0]["urls"]["events"], query).json()
            assert (events["runs"], events["dummies"]) == ([[0, 8]], [[1, 2], [3, 4], [5, 7]])
        assert "dummies" not in owner_api.get(f"{SETS}{landmark_set.pk}/events/").json()
        made = [owner_api.post(dummies_url(landmark_set), {"method": coins, "seed": 7}).json() for _ in range(2)]
        first, again = (LandmarkSet.objects.get(pk=one["id"]).mask for one in made)
        assert (first == again).all()
        selection = made[0]["selection"]
        assert (selection["seed"], selection["private"]) == (7, False)
        assert selection["caveats"][0].startswith("NOT PRIVATE: seeded simulation")
        assert made[0]["name"].endswith(", seeded")
        assert not DummyDraw.objects.exists()
        fresh = [owner_api.post(dummies_url(landmark_set), {"method": coins}).json()["id"] for _ in range(10)]
        assert len({LandmarkSet.objects.get(pk=pk).mask.tobytes() for pk in fresh}) > 1

    @pytest.mark.parametrize("seed", [7, None])
    def test_only_those_drawn_without_a_seed_are_under_a_release(self, owner_api, landmark_set, seed):
        made = owner_api.post(dummies_url(landmark_set), {"method": COINS, "seed": seed}).json()
        body = {"dataset": str(landmark_set.dataset_id), "landmark_set": made["id"], "mechanism": UNIFORM}
        answer = owner_api.post(RELEASES, body)
        assert answer.status_code == (201 if seed is None else 409)
        assert Release.objects.count() == (seed is None)
        assert owner_api.post(RELEASES, body | {"seed": 1}).status_code == 201


class TestDrawingAgain:
    def test_draws_are_counted_and_their_levels_added(self, owner, owner_api, landmark_set):
        dataset = f"/api/v1/datasets/{landmark_set.dataset_id}/"
        charged = owner_api.get(dataset).json()["spent"]
        for before, level in ((0, 1.0), (1, 1.5), (2, 2.5)):
            method = HEURISTIC if before == 1 else COINS
            selection = owner_api.post(dummies_url(landmark_set), {"method": method}).json()["selection"]
            assert (selection["earlier_selections"], selection["level_spent"]) == (before, level)
            assert any("levels add up to" in caveat for caveat in selection["caveats"]) == (before > 0)
        assert owner_api.get(dataset).json()["spent"] == charged, "the ledger per metre is left alone"
        other = mark_landmarks(owner=owner, dataset=landmark_set.dataset, method={"name": "manual", "events": [0]})
        assert owner_api.post(dummies_url(other), {"method": COINS}).json()["selection"]["earlier_selections"] == 0

    def test_neither_deleting_nor_copying_removes_a_draw(self, owner, owner_api, landmark_set):
        made = owner_api.post(dummies_url(landmark_set), {"method": COINS}).json()
        assert owner_api.delete(made["urls"]["self"]).status_code == 204
        copy = mark_landmarks(owner=owner, dataset=landmark_set.dataset, method=landmark_set.method)
        found = owner_api.post(dummies_url(copy, "preview"), {"method": COINS}).json()
        assert (found["earlier_selections"], found["level_spent"]) == (1, 1.0)


def test_a_preview_gives_the_law_and_stores_nothing(owner_api, landmark_set):
    for method in [COINS, HEURISTIC, PARTITIONED, OPTIMAL]:
        found = owner_api.post(dummies_url(landmark_set, "preview"), {"method": method}).json()
        least = int(method != COINS)  # an option has at least one dummy
        assert [(bar["first"], bar["last"]) for bar in found["counts"]] == [(d, d) for d in range(least, 5)], method
        assert sum(bar["probability"] for bar in found["counts"]) == pytest.approx(1), method
        mean = sum(bar["first"] * bar["probability"] for bar in found["counts"])
        assert found["expected"] == pytest.approx(mean, rel=1e-12), method
        assert (found["landmarks"], found["points"]) == (4, 8)
        assert (found["earlier_selections"], found["level_spent"]) == (0, 0.0)
    assert (LandmarkSet.objects.count(), DummyDraw.objects.count()) == (1, 0)


class TestRefusals:
    def test_name_field_and_rule(self, owner_api, landmark_set):
        for method, field, rule in [
            ({"name": "dummies-one-sided"}, "method.epsilon", "is required"),
            (COINS | {"epsilon": 0}, "method.epsilon", "greater than 0"),
            (COINS | {"utility": "count"}, "method.utility", "is not a parameter here"),
            ({"name": "landmark-uniform"}, "method.name", "one of dummies-one-sided"),
            ("coins", "method", "object"),
        ]:
            for parts in [(), ("preview",)]:
                answer = owner_api.post(dummies_url(landmark_set, *parts), {"method": method})
                assert refused(answer) == (400, field), (method, parts)
                assert rule in first_error(answer)["rule"], (method, parts)
        for seed in [-1, 1.5, "1", True, 2**53]:
            answer = owner_api.post(dummies_url(landmark_set), {"method": COINS, "seed": seed})
            assert refused(answer) == (400, "seed"), seed

    def test_optimal_beyond_its_size(self, owner, owner_api, make_dataset, paris_day, landmark_set, monkeypatch):
        long = make_dataset(owner, type(paris_day)(np.linspace(2, 3, 20), np.full(20, 48.0)))
        source = mark_landmarks(owner=owner, dataset=long, method={"name": "manual", "events": [3]})
        message = "Every series must have at most 16 regular events (Optimal; Heuristic takes more), got 19"
        for parts in [(), ("preview",)]:
            answer = owner_api.post(dummies_url(source, *parts), {"method": OPTIMAL})
            assert (*refused(answer), first_error(answer)["message"]) == (400, "method.name", message), parts
        monkeypatch.setattr(services, "WORK_S", 1e-9)
        answer = owner_api.post(dummies_url(landmark_set), {"method": HEURISTIC})
        assert refused(answer) == (413, "method.name")
        assert "manage.py release" in first_error(answer)["message"]
        assert not DummyDraw.objects.exists()

    def test_a_source_cannot_be_deleted_before_what_was_made_from_it_nor_a_set_be_drawn_from_twice(
        self, owner_api, landmark_set
    ):
        made = owner_api.post(dummies_url(landmark_set), {"method": COINS}).json()
        for url in (made["urls"]["dummies"], f"{made['urls']['dummies']}preview/"):
            assert refused(owner_api.post(url, {"method": COINS})) == (409, "landmark_set"), url
        answer = owner_api.delete(f"{SETS}{landmark_set.pk}/")
        assert refused(answer) == (409, "landmark_set")
        message = "1 set with dummies was made from this landmark set; delete it first."
        assert first_error(answer)["message"] == message
        assert owner_api.delete(made["urls"]["self"]).status_code == 204
        assert owner_api.post(dummies_url(landmark_set), {"method": COINS}).status_code == 201
        assert owner_api.delete(f"/api/v1/datasets/{landmark_set.dataset_id}/").status_code == 204  # with all its sets
        assert not LandmarkSet.objects.exists()
        assert DummyDraw.objects.count() == 2


def test_methods_are_listed_with_their_guarantees(owner_api):
    found = owner_api.get("/api/v1/dummy-methods/").json()["results"]
    assert {one["name"] for one in found if one["guarantees"]} == {"dummies-one-sided"}
    assert len(found) == 4
    assert all(("differentially private" in one["statement"]) != one["guarantees"] for one in found)
    assert all(field["label"] and field["help"] for one in found for field in one["fields"])


class TestReleaseOnDummies:
    """k = 4 of 8 landmarks, named so that a search finds the name; all 8 are marked."""

    @pytest.fixture
    def row(self, owner, owner_api, ready_dataset):
        paris = {"name": "manual", "events": [0, 2, 4, 7]}
        source = mark_landmarks(owner=owner, dataset=ready_dataset, method=paris, name="Zebra places")
        made = owner_api.post(dummies_url(source), {"method": COINS | {"epsilon": 1e-6}}).json()
        assert made["count"] == 8  # 4 coins of e^-1e-6: one of 250,000 runs fails here
        body = {"dataset": str(ready_dataset.pk), "landmark_set": made["id"], "mechanism": UNIFORM}
        return executed(Release.objects.get(pk=owner_api.post(RELEASES, body).json()["id"]))

    def test_no_file_reports_the_source_or_its_count(self, owner_api, row, owner):
        for fmt in FORMATS:
            answer = owner_api.get(release_url(row, "data"), {"format": fmt})
            body = b"".join(answer.streaming_content)
            text = body.decode("utf-8", errors="replace") + str(answer.headers)
            source = row.landmark_set.source
            for secret in (source.name, "Zebra", str(source.pk), source.pk.hex, "ummies", "ummy", "coin"):
                assert secret not in text, fmt
            assert re.search(r"all 8 landmarks", text.replace("\\u03b5", "ε")), fmt
            assert not re.search(r"\b(4|four) (landmarks|events)", text), fmt
        by_hand = mark_landmarks(owner=owner, dataset=row.dataset, method={"name": "manual", "events": list(range(8))})
        twin = Release.objects.get(pk=row.pk)
        twin.landmark_set = by_hand
        assert downloads.label(twin) == downloads.label(row)
        assert json.dumps(downloads.label(row)).count("8 landmarks") == 2
        found = owner_api.get(release_url(row)).json()
        assert found["summary"]["landmarks"] == 8
        public = json.dumps([found[name] for name in ("summary", "guarantee", "label", "mechanism")])
        assert not re.search("Zebra|dumm", public)
