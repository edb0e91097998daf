"""The page that explains a release: its sentences follow from the label, none from the original; a paper's figure."""

import math
import re
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from django.urls import reverse

from dashboard.accounts.models import AccessEntry
from dashboard.datasets.models import Dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from dashboard.publications.services import publish_release
from dashboard.releases import downloads
from dashboard.releases.common.release_data import read_release
from dashboard.releases.explanation import explanations
from dashboard.releases.models import Release
from dashboard.releases.services import derive_release
from dashboard.releases.trajectory import explain as trajectory_explain
from dashboard.storage.data_files import cached_data, read_data, write_data
from privacy_engine.analysis.best_guess import best_guess
from privacy_engine.core import geo
from privacy_engine.data import Trajectory
from privacy_engine.mechanisms.base.mechanism import mechanisms, offered
from privacy_engine.postprocess import postprocesses
from tests.dashboard.api_helpers import release_url
from tests.dashboard.kinds import checkin_rows, checkins, counts, made, wide
from tests.dashboard.release_runs import drawn, executed, finished, secretive_release
from tests.dashboard.test_landmarks_covered import COINS, SCHEDULE, ZONES
from tests.dashboard.test_releases_report import WALK, every_kind, released, text_of
from tests.engine.test_citations import HOSTILE, balanced, unescaped

pytestmark = pytest.mark.django_db

LISTED = {one for explanation in explanations.values() for one in explanation.listed}
NAME = "<b>&amp;\"' 100 % & _a_ #1 {b} ~ ^ \\end{document} $x$ 中 ]]> --"


def page_of(release, query=""):
    return f"/releases/{release.pk}/explain/{query}"


def shown(client, release, query=""):
    """The text of the sheet, without markup."""
    sheet = re.search(r"<article.*?</article>", text_of(client, page_of(release, query)), re.DOTALL)[0]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", sheet)).split())


def whole(client, release):
    """The page, but for what each response draws for itself, and the files of its figure."""
    page = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", text_of(client, page_of(release)))
    return [page, *(figure(client, release, form) for form in ("svg", "tex", "bib"))]


def percents(text):
    """Of the rows of the guess: what, and how sure in per cent; None beyond 99.9."""
    flat = re.sub(r"[ \n]+", " ", text)
    rows = re.findall(r'<th scope="row">([^<]+)</th>.*?<td>(&gt; 99.9|[\d.]+) %</td>', flat)
    return [(unescape(what), None if sure.startswith("&") else float(sure)) for what, sure in rows]


def cells(page):
    return sum(path.count("M") for path in re.findall(r'<path opacity="[\d.]+" d="([^"]*)"', page))


def upward(epsilon):
    return None if (found := math.ceil(1000 * best_guess(epsilon)) / 10) >= 100 else found


def figure(client, release, form, query=""):
    answer = client.get(f"{page_of(release)}figure.{form}{query}")
    assert answer.status_code == 200
    assert "attachment" in answer["Content-Disposition"]
    return answer.getvalue().decode()


class TestSentences:
    @pytest.mark.parametrize("name", [cls.registered_name() for cls in mechanisms.of("trajectory")])
    def test_the_promise_has_its_conditions_in_its_sentence(self, owner_page, submit, name):
        release = executed(submit(name))
        label, text = downloads.label(release), shown(owner_page, release)
        sentence = re.search(r"What was protected (.*?) Against whom", text)[1]
        assert "becomes at most 73.2 % sure, with the same" in sentence
        assert "200 m away" in sentence
        for one in downloads.context_of(release).uncovered_in_short if not release.set_read else label["not_covered"]:
            assert one in sentence or "reading options" in one, one
        for one in label["guarantee"]["assumptions"]:
            assert one[1:].partition("; where they are not")[0].rstrip(".") in sentence
        for one in label["guarantee"]["caveats"]:
            assert one in text or one in LISTED or one.startswith("Repeats show") or "landmark" in one.lower()
        assert text.count("Which events are landmarks") == bool(release.set_read)
        assert "What is published as it was: time, series, number of events." in text
        assert ("all 4 landmarks" in sentence) == bool(release.set_read)
        assert [one for one in ("temporal privacy loss", "reading option") if one in text] == [], "what is not here"
        assert label["guarantee"]["statement"] not in text
        assert label["guarantee"]["statement"] in shown(owner_page, release, "?reader=colleague")

    def test_guesses_follow_from_the_level(self, owner_page, submit):
        release = executed(submit("landmark-uniform", epsilon=0.5))
        whole = downloads.label(release)["whole_trace_epsilon"]
        found = percents(text_of(owner_page, page_of(release)))
        levels = [0.125, 0.5, 1.25, 2.5, 0.5, min(5.0, whole)]
        assert [sure for _, sure in found] == [upward(one) for one in levels]
        assert found[1][0] == "one position, 200\u202fm"
        assert [what for what, _ in found[4:]] == ["all landmarks, 200\u202fm", "ten other visits, 200\u202fm"]
        text = shown(owner_page, release)
        assert "All landmarks together count as one position; other visits count one by one." in text
        assert "Places visited many times by events that are no landmarks: averaging" in text
        event = shown(owner_page, executed(submit("event-level")))
        assert "as one position" not in event
        assert "Places visited many times: averaging" in event
        user = executed(submit("user-level"))
        assert percents(text_of(owner_page, page_of(user)))[-1] == ("ten visits, 200\u202fm", 73.2)
        assert "The whole trace" not in shown(owner_page, user)

    def test_a_level_that_protects_nothing_is_not_called_a_number(self, owner_page, submit):
        text = shown(owner_page, executed(submit("event-level", epsilon=100.0)))
        assert "away, may become certain, with the same times" in text
        assert "> 99.9 %" in text

    def test_a_one_sided_selection_is_about_the_same_landmarks(self, owner, owner_api, owner_page, ready_dataset):
        """From fewer to more landmarks it promises nothing, so a guess between such traces is not bounded."""
        zones = mark_landmarks(owner=owner, dataset=ready_dataset, method=ZONES)
        coins = owner_api.post(f"/api/v1/landmark-sets/{zones.pk}/dummies/", {"method": COINS}).json()
        row = finished(LandmarkSet.objects.get(pk=coins["id"]))
        text = shown(owner_page, row)
        assert "becomes at most 81.8 % sure, with the same landmarks and times (assumed: events are independent" in text
        assert "not covered: that the events left unmarked are no landmarks, which is certain" in text
        assert f"all {coins['count']} landmarks" in text

    def test_landmarks_by_times_compare_traces_with_the_same_times(self, owner, owner_page, ready_dataset):
        row = drawn(owner, ready_dataset, method=SCHEDULE)
        assert "sure, with the same times (assumed" in shown(owner_page, row)

    def test_noise_is_that_of_the_description(self, owner_page, submit):
        release = executed(submit("event-level"))
        noise, page = trajectory_explain.noise_m(release), text_of(owner_page, page_of(release))
        far = f"{noise['half']:.0f} m , 1 in 20 by more than {noise['most']:.0f} m"
        assert f"half of the positions by more than {far}" in shown(owner_page, release)
        (circles,) = re.findall(r'public__most"\s+r="([\d.]+)".*?public__half"\s+r="([\d.]+)"', page, re.DOTALL)
        assert float(circles[0]) / float(circles[1]) == pytest.approx(noise["most"] / noise["half"], rel=0.02)

    def test_a_simulation_has_no_guarantee(self, owner_page, submit):
        text = shown(owner_page, executed(submit(seed=7)))
        assert text.startswith("Not private: seeded simulation, do not publish")
        assert "Nothing. This is a simulation with the seed 7" in text
        assert "It has no guarantee" in text
        assert "sure, with" not in text
        assert "leak at most" not in text
        assert "with seed 7, without a guarantee" in figure(owner_page, Release.objects.get(), "svg")

    def test_what_was_processed_has_no_distance(self, owner_page, done):
        derived = executed(derive_release(source=done, steps=[postprocesses.parse({"name": "ou-smoother"})]))
        text = shown(owner_page, derived)
        assert "then processed, so how far one lies from where it was is not known without the original" in text
        assert "How coarse" not in text
        assert "repeat the one published before" not in text
        assert "3 of 7 positions repeat the one published before" in shown(owner_page, done)

    def test_public_links_are_named(self, owner_page, done):
        assert "A public link" not in shown(owner_page, done)
        publish_release(release=done, title="", expires_on=None, author="Mobility <Lab>", licence="CC-BY-4.0")
        text = shown(owner_page, done)
        assert "A public link was made on" in text
        assert "Mobility <Lab> CC BY 4.0 · Cairn" in text


class TestImage:
    def test_every_published_position_is_in_a_cell(self, owner_page, done):
        page, published = text_of(owner_page, page_of(done)), read_release(done)[0].series
        assert 1 < cells(page) <= len({*zip(published.lon.tolist(), published.lat.tolist(), strict=True)})
        assert "fuller colour: more (1, 2, 3, 4+)" in shown(owner_page, done)
        assert ">Paris</text>" in page

    def test_counts_and_cells_are_drawn(self, owner_api, owner_page):
        page = text_of(owner_page, page_of(released(owner_api, "stream")))
        assert len(re.search(r'<polyline points="([^"]*)"', page)[1].split()) == 40
        assert cells(text_of(owner_page, page_of(released(owner_api, "checkins")))) == 20


class TestOptions:
    def test_reader_image_numbers_and_title(self, owner_page, done):
        plain = text_of(owner_page, page_of(done))
        assert "<figure" in plain
        assert "The numbers of this release" in plain
        assert "A day in Paris" in plain
        chosen = text_of(owner_page, page_of(done, "?reader=colleague&title=%3Ci%3EMine"))
        assert "<figure" not in chosen
        assert "The numbers of this release" not in chosen
        assert "&lt;i&gt;Mine</h2>" in chosen
        assert "Katsomallos" in chosen
        assert text_of(owner_page, page_of(done, "?reader=other")).count("selected>Ethics board") == 1
        assert "<figure" in text_of(owner_page, page_of(done, "?image=yes"))

    def test_the_stream_that_is_shown(self, owner_api, owner_page):
        row = released(owner_api, "stream")
        data = read_release(row)
        largest = data.names[int(data.counts.sum(axis=0).argmax())]
        assert f"Published counts of {largest}, one of 3 streams" in shown(owner_page, row)
        assert f"Published counts of {data.names[1]}, one" in shown(owner_page, row, "?series=1")
        for wrong in ("3", "-1", "x"):
            assert owner_page.get(page_of(row, f"?series={wrong}")).status_code == 404
            assert owner_page.get(page_of(row) + f"figure.svg?series={wrong}").status_code == 404


class TestOriginal:
    def test_the_page_of_a_trace_does_not_change_with_it(self, owner, owner_api, owner_page):
        row = secretive_release(owner, owner_api, WALK, "Zebra")
        before = whole(owner_page, row)
        dataset = row.dataset
        (truth,) = read_data("trajectory", dataset.points_path)
        write_data("trajectory", dataset.points_path, [Trajectory(truth.lon + 1, truth.lat - 1, truth.time_s)])
        dataset.summary |= {"bounds": [0, 0, 1, 1], "length_m": 5.0, "start": None, "end": None}
        dataset.save()
        LandmarkSet.objects.filter(dataset=dataset).update(name="Another", method={"name": "manual", "events": []})
        Release.objects.filter(pk=row.pk).update(name="Another", owner_view=None)
        after = whole(owner_page, row)
        assert after == before
        assert "Zebra release" not in before[0]
        assert "Zebra places" not in before[0]

    @every_kind
    def test_nor_do_those_of_other_kinds(self, owner_api, owner_page, kind):
        row = released(owner_api, kind)
        before = whole(owner_page, row)
        other = made(owner_api, {"stream": wide(counts(seed=2)), "checkins": checkins(checkin_rows(seed=2))}[kind])
        source, target = Dataset.objects.get(pk=other["id"]), row.dataset
        Path(target.points_path).write_bytes(source.points_path.read_bytes())
        Dataset.objects.filter(pk=target.pk).update(summary=source.summary)
        Release.objects.filter(pk=row.pk).update(owner_view=dict.fromkeys(row.owner_view, 123456.789))
        cached_data.cache_clear()
        after = whole(owner_page, row)
        assert after == before
        assert "released(" not in before[0]


@every_kind
class TestEveryKind:
    def test_its_sentences_and_guesses(self, owner_api, owner_page, kind):
        for which in (0, 1):
            row = released(owner_api, kind, which=which)
            label, text = downloads.label(row), text_of(owner_page, page_of(row))
            texts = shown(owner_page, row)
            assert re.search(r"What was protected .*a stranger who hesitates 50:50 .* 73.2 % sure, with", texts)
            assert percents(text)[:2][0][1] == 73.2
            assert [sure for _, sure in percents(text)][1:3] == [upward(2), upward(5)]
            assert percents(text)[-1][1] == upward(10)
            assert re.search(r"how the file was read, decided from the data \(\d+ values?, in the report\)", texts)
            for one in (*label["guarantee"]["caveats"], *(a[1:-1] for a in label["guarantee"]["assumptions"])):
                assert one in texts or one in LISTED
            assert label["guarantee"]["statement"] in shown(owner_page, row, "?reader=colleague")
            assert " ".join(label["sha256"][i : i + 4] for i in (0, 4, 8)) in texts

    def test_every_mechanism_has_a_page(self, owner_api, owner_page, kind):
        row = released(owner_api, kind)
        for cls in offered(kind):
            if not cls.needs_venues:
                subject = explanations[kind].subject(row.parsed_spec.mechanism, downloads.context_of(row))
                assert subject.same
        assert "has no guarantee" in shown(owner_page, released(owner_api, kind, seed=3, dataset=str(row.dataset_id)))


class TestFigure:
    def test_it_holds_the_published_track_its_caption_and_what_to_cite(self, owner_page, done):
        svg = ElementTree.fromstring(figure(owner_page, done, "svg"))
        (line,) = svg.iter("{http://www.w3.org/2000/svg}polyline")
        points = np.array([one.split(",") for one in line.get("points").split()], dtype=float)
        published = read_release(done)[0].series
        assert len(points) == len(published)
        steps = geo.distance_m(published.lon[:-1], published.lat[:-1], published.lon[1:], published.lat[1:])
        drawn_steps = np.hypot(*np.diff(points, axis=0).T)
        moved = steps > 0
        assert drawn_steps[moved] / steps[moved] == pytest.approx(drawn_steps[moved][0] / steps[moved][0], rel=0.02)
        caption = svg.find("{http://www.w3.org/2000/svg}desc").text
        for part in (
            "Published positions",
            "Skip · ε 1 / 200\u202fm",
            "4 landmarks",
            "8 events",
            done.data_sha256[:12],
        ):
            assert part in caption
        assert "thinned" not in caption
        assert done.data_sha256 in svg.find("{http://www.w3.org/2000/svg}metadata").text
        tex = figure(owner_page, done, "tex")
        coordinates = np.array(
            re.findall(r"\((-?[\d.e-]+),(-?[\d.e-]+)\)", tex.partition("coordinates {")[2]), dtype=float
        )
        apart = 1000 * np.hypot(*np.diff(coordinates, axis=0).T)
        assert apart == pytest.approx(steps, rel=0.01, abs=1.0)
        bib = figure(owner_page, done, "bib")
        for key in re.findall(r"\\cite\{([^}]+)\}", tex)[0].split(","):
            assert f"{{{key}," in bib
            assert rf"\bibitem{{{key}}}" in tex
        assert str(done.pk) in bib

    def test_a_long_track_is_thinned_and_states_it(self, owner, owner_page, make_dataset):
        n, rng = 5000, np.random.default_rng(1)
        walk = Trajectory(2 + rng.random(n) / 10, 48 + rng.random(n) / 10, 60.0 * np.arange(n))
        release = drawn(owner, make_dataset(owner, walk), [5])
        svg = figure(owner_page, release, "svg")
        points = re.search(r'points="([^"]*)"', svg)[1].split()
        assert 1000 < len(points) <= trajectory_explain.POINTS
        assert f"thinned to {len(points):,} points" in svg
        found = trajectory_explain.facts_of(release)
        assert len(found["lon"]) == n

    def test_one_series_of_several(self, owner, owner_page, make_dataset):
        rng = np.random.default_rng(1)
        walks = [Trajectory(2 + rng.random(9) / 10, 48 + rng.random(9) / 10, 60.0 * np.arange(9)) for _ in range(2)]
        release = drawn(owner, make_dataset(owner, *walks), [5])
        assert "of series 2 of 2" in figure(owner_page, release, "svg", "?series=1")
        assert owner_page.get(f"{page_of(release)}figure.svg?series=2").status_code == 404
        assert "Where 2 people were" in shown(owner_page, release)

    def test_hostile_names_stay_text(self, owner, owner_api, owner_page, done):
        stream = made(owner_api, wide(counts(), names=(NAME.replace(",", ""), "south", "east")), name="x.csv")
        rows = [done, released(owner_api, "stream", dataset=stream["id"])]
        for row in rows:
            Dataset.objects.filter(pk=row.dataset_id).update(name=NAME + HOSTILE)
            query = "?series=0"
            page = text_of(owner_page, page_of(row, query))
            assert "<b>" not in page
            assert "&lt;b&gt;" in page
            svg = figure(owner_page, row, "svg", query)
            assert ElementTree.fromstring(svg).find("{http://www.w3.org/2000/svg}title").text.startswith("<b>&amp;")
            tex, bib = figure(owner_page, row, "tex", query), figure(owner_page, row, "bib")
            written = [line for line in tex.splitlines() if not line.startswith("%")]
            assert not [line for line in written if unescaped(line, "%&#_")]
            assert balanced("\n".join(written))
            assert balanced(bib)
            opened = re.findall(r"^\\begin\{(\w+)\}", "\n".join(written), re.MULTILINE)
            closed = re.findall(r"^\\end\{(\w+)\}", "\n".join(written), re.MULTILINE)
            assert sorted(opened) == sorted(closed)
            assert written.count(r"\end{document}") == 1

    def test_it_is_recorded_as_a_download(self, owner_page, done):
        figure(owner_page, done, "svg")
        entry = AccessEntry.objects.get()
        assert (entry.access, entry.subject_id) == ("download", done.pk)


class TestWhere:
    def test_strangers_find_nothing_and_open_releases_are_looked_at_elsewhere(self, owner_page, stranger, submit, done):
        waiting = submit()
        for path in (page_of(waiting), f"{page_of(waiting)}figure.tex"):
            answer = owner_page.get(path)
            assert answer.status_code == 302
            assert answer["Location"] == waiting.page_url
        failed = executed(submit("landmark-skip"))
        Release.objects.filter(pk=failed.pk).update(state="failed", data_file="", data_sha256="")
        assert owner_page.get(page_of(failed)).status_code == 302
        assert owner_page.post(page_of(done)).status_code == 405
        owner_page.force_login(stranger)
        for path in ("", "figure.svg", "figure.tex", "figure.bib"):
            assert owner_page.get(page_of(done) + path).status_code == 404
        owner_page.logout()
        assert owner_page.get(page_of(done))["Location"].startswith("/login/")

    def test_it_is_linked(self, owner_page, owner_api, done):
        address = reverse("releases:explain", args=[done.pk])
        for page in (f"/releases/{done.pk}/report/", f"/datasets/{done.dataset_id}/"):
            assert f'href="{address}"' in text_of(owner_page, page)
        assert owner_api.get(release_url(done)).json()["urls"]["explain"] == address
        assert f'href="{address}' in text_of(owner_page, page_of(done))

    def test_what_many_positions_need_is_made_ahead(self, owner_page, submit, monkeypatch):
        monkeypatch.setattr(trajectory_explain, "LARGE", 3)
        release = executed(submit())
        assert release.beside("explained").exists()
        before = shown(owner_page, release)
        monkeypatch.setattr(trajectory_explain, "_facts", lambda row: 1 / 0)
        assert shown(owner_page, release) == before
