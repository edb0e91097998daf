"""First steps, samples, colours, number inputs and preloaded modules of pages."""

import json
import re
from hashlib import sha256
from io import StringIO
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.management import CommandError, call_command
from django.template import Context, Template

from dashboard.core.palette import DASHES, GROUND, HUES, SEEN, Assignment, contrast, palette, variants
from dashboard.core.templatetags.number_fields import DOMAINS, domain, rule_text
from dashboard.datasets import execution
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.jobs import leases
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from dashboard.launcher.database import load_more_samples
from dashboard.launcher.database import load_samples as load_first
from dashboard.storage.data_files import read_data
from privacy_engine.experiments.samples import table_samples
from privacy_engine.formats import KINDS
from privacy_engine.landmarks.samples import samples
from tests.cases import refreshed
from tests.dashboard.conftest import upload
from tests.dashboard.release_runs import submitted
from tests.dashboard.test_passwords import logged_in

STEP = re.compile(
    r'<li class="tour__step(?P<done> tour__step--done)?(?P<current> tour__step--current)?">\s*'
    r'<a class="tour__link line" href="(?P<url>[^"]+)"(?P<here> aria-current="step")?>.*?'
    r'<span class="tour__title">(?P<title>[^<]+)</span>',
    re.DOTALL,
)
TITLES = ["View the trajectory", "Define landmarks", "Create releases", "Compare", "Upload your data"]


def strip(page, address="/"):
    return [match.groupdict() for match in STEP.finditer(page.get(address).content.decode())]


def done(page, address="/"):
    return [step["title"] for step in strip(page, address) if step["done"]]


def sample_of(owner, make_dataset):
    """The day in Paris, as the command loads it: with its landmarks."""
    found = samples()[2]
    dataset = make_dataset(owner, found.series, name=found.title, sample=True)
    mark_landmarks(owner=owner, dataset=dataset, method=found.landmarks.model_dump())
    return dataset


@pytest.fixture
def sample(owner, make_dataset):
    return sample_of(owner, make_dataset)


def addresses(dataset):
    own = f"/datasets/{dataset.pk}/"
    return [own, f"{own}landmarks/new/", f"{own}releases/new/", f"{own}compare/"]


class TestForWhom:
    def test_who_has_only_samples(self, owner_page, owner, make_dataset, stranger_dataset, django_assert_num_queries):
        assert strip(owner_page) == []
        for address in ["/", *addresses(sample_of(owner, make_dataset))]:
            assert [step["title"] for step in strip(owner_page, address)] == TITLES, address
        assert done(owner_page) == TITLES[:1], "viewed now; what another has counts for nothing"
        with django_assert_num_queries(2):  # session and user: other pages request nothing for it
            owner_page.get("/glossary/")

    def test_not_for_who_has_something_of_their_own(self, owner_page, owner, sample, ready_dataset):
        for address in ["/", *addresses(ready_dataset)]:
            assert strip(owner_page, address) == []
        assert refreshed(owner).tour_looked_at is None, "their own data are no visit of a sample"
        for address in addresses(sample):
            assert strip(owner_page, address) == []


class TestTicks:
    def test_each_by_what_was_done(self, owner_page, owner, sample):
        look, _, _, compare = addresses(sample)
        owner_page.get(compare)  # there is nothing to be compared yet
        assert done(owner_page) == []
        kept = []
        for _ in range(2):
            owner_page.get(look)
            kept.append(refreshed(owner).tour_looked_at)
        assert kept[0] == kept[1] is not None, "the first visit is the one kept"
        assert done(owner_page) == TITLES[:1]
        same = LandmarkSet.objects.get().method
        for method in (same, {"name": "manual", "events": [3]}):  # the same again, and another in place of the first
            mark_landmarks(owner=owner, dataset=sample, method=method)
            assert done(owner_page) == TITLES[:2]
            LandmarkSet.objects.all().delete()
            assert done(owner_page) == TITLES[:1]
        mark_landmarks(owner=owner, dataset=sample, method={"name": "manual", "events": [1]})
        assert done(owner_page) == TITLES[:2]
        submitted(LandmarkSet.objects.filter(dataset=sample).first())
        assert done(owner_page) == TITLES[:3]
        owner_page.get(compare)
        assert done(owner_page) == TITLES[:4]


class TestHideAndShow:
    def test_hidden_for_this_user_only(self, owner_page, stranger, sample, make_dataset):
        answer = owner_page.post("/tour/", {"shown": "no", "next": addresses(sample)[1]})
        assert answer["Location"] == addresses(sample)[1]
        assert strip(owner_page) == strip(owner_page, addresses(sample)[1]) == []
        make_dataset(stranger, samples()[2].series, sample=True)
        assert len(strip(logged_in(stranger))) == 5

    def test_only_a_post_with_the_token_changes_it_and_leads_nowhere_else(self, owner, owner_page):
        browser = logged_in(owner, enforce_csrf_checks=True)
        assert browser.get("/tour/").status_code == 405
        assert browser.post("/tour/", {"shown": "no"}).status_code == 403
        assert refreshed(owner).tour_shown is None
        body = owner_page.post("/tour/", {"shown": "yes"}, follow=True).content.decode()
        assert "manage.py loadsamples owner" in body, "there is no sample"
        for there in ("https://evil.example/", "//evil.example", "javascript:alert(1)", "\\\\evil"):
            assert owner_page.post("/tour/", {"shown": "no", "next": there})["Location"] == "/"


API = "/api/v1/"


class TestSamples:
    def test_are_loaded_once_as_the_engine_made_them(self, owner):
        for _ in range(2):
            call_command("loadsamples", "owner", stdout=StringIO())
        rows = Dataset.objects.order_by("created_at")
        found = [(row.kind, row.name) for row in rows]
        assert found[:3] == [("trajectory", sample.title) for sample in samples()]
        assert found[3:] == [(sample.kind, sample.title) for sample in table_samples()]
        assert all(row.sample and row.state == "ready" and row.owner == owner for row in rows)
        for row, sample in zip(rows, samples(), strict=False):
            [stored] = read_data("trajectory", row.points_path)
            for name, digits in (("lon", 7), ("lat", 7), ("time_s", 3)):
                assert abs(getattr(stored, name) - getattr(sample.series, name)).max() < 10**-digits
        counts, visits = (read_data(row.kind, row.points_path) for row in rows[3:])
        assert [row.report["guesses"] for row in rows] == [[]] * 5
        assert (counts.counts.shape, counts.names[0]) == ((336, 6), "Station")
        assert counts.counts.mean() == pytest.approx(60, rel=0.02), "what is stated of the generator"
        assert (len(visits.users), visits.lon.min() > 8.39, visits.lat.max() < 47.47) == (300, True, True)
        assert min(visits.time_s.min(), counts.time_s.min()) == 1714953600, "a Monday, not 1970"
        assert LandmarkSet.objects.count() == 3
        assert LandmarkSet.objects.get(dataset__points=8).mask.nonzero()[0].tolist() == [0, 2, 4, 7], "the paper's"
        with pytest.raises(CommandError, match="There is no user 'unknown'"):
            call_command("loadsamples", "unknown")

    def test_a_worker_reads_those_of_the_first_start_and_marks_their_landmarks(self, owner, tmp_path):
        load_first(owner)
        assert {row.kind for row in Dataset.objects.all()} == {"trajectory"}, "the first page waits for no others"
        load_more_samples(owner, tmp_path / "loaded")
        assert (tmp_path / "loaded").exists()
        rows = list(Dataset.objects.order_by("created_at"))
        assert [row.state for row in rows] == ["queued"] * 5
        browser = logged_in(owner)
        for path in ("/", *(f"/datasets/{row.pk}/" for row in rows)):
            page = browser.get(path)
            assert (page.status_code, b"aiting for a worker" in page.content) == (200, True)
        for row in rows:
            assert execution.run(row.pk)
        assert {row.state for row in Dataset.objects.all()} == {"ready"}
        assert sorted(one.dataset.name for one in LandmarkSet.objects.all()) == sorted(one.title for one in samples())
        LandmarkSet.objects.all().delete()
        execution.run(import_dataset(owner=owner, upload=upload(b"time,lat,lon\n1,2,3\n"), queued=True).pk)
        assert not LandmarkSet.objects.exists()


def test_the_list_of_jobs_has_stage_progress_and_time_left(owner_api, submit):
    release = submit()
    (job,) = owner_api.get(f"{API}jobs/").json()["results"]
    assert (job["state"], job["progress"], job["eta_s"]) == ("queued", 0.0, None)
    leases.claim(type(release), release.pk)
    type(release).objects.update(stage="Drawing", progress=0.5)
    (job,) = owner_api.get(f"{API}jobs/").json()["results"]
    assert (job["state"], job["stage"], job["progress"], job["eta_s"] >= 0) == ("running", "Drawing", 0.5, True)


# Linear RGB as a person without one kind of cone sees it: Viénot, Brettel, Mollon, Color Res. Appl. 24 (1999)
FEWER_COLOURS = {
    "protanopia": [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
    "deuteranopia": [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
}


def tokens(sheet):
    return dict(re.findall(r"--([a-z0-9]+): (#[0-9a-f]{6});", Path(finders.find(f"css/{sheet}.css")).read_text()))


def linear(colour):
    shares = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


@pytest.mark.parametrize("kind", KINDS)
def test_every_mechanism_has_a_colour_and_a_dash_of_its_own_and_every_release_a_shade(kind):
    styles = palette(kind).values()
    known = {"trajectory": "674cdf77", "stream": "03a19685", "checkins": "0e600ce7"}  # figures keep their colours
    assert sha256(json.dumps(variants(kind), sort_keys=True).encode()).hexdigest()[:8] == known[kind]
    assert len(styles) >= 9
    for part in ("light", "dark", "name"):
        assert len({style["colour"][part] for style in styles}) == len(styles)
    assert len({style["dash"] for style in styles}) == len(styles)
    assert {style["dash"] for style in styles} <= set(DASHES.values())
    for styles in variants(kind).values():
        assert len({style["dash"] for style in styles}) == len(DASHES) == len(styles)
        assert len({style["colour"]["name"] for style in styles}) == 1
        for theme in ("light", "dark"):
            shades = {style["colour"][theme] for style in styles}
            assert len(shades) == 3
            assert all(np.abs(linear(one) - linear(other)).max() > 0.02 for one, other in combinations(shades, 2))


def test_styles_are_assigned_one_after_another_and_differ_with_colour_blindness():
    assignment = Assignment("trajectory")
    assert [assignment.next("landmark-skip") for _ in range(30)][: len(DASHES)] == variants("trajectory")[
        "landmark-skip"
    ]
    assert assignment.next("landmark-joint") == palette("trajectory")["landmark-joint"]
    for sheet, place in (("tokens", 1), ("dark", 2)):
        assert [tokens(sheet)[f"m{i}"] for i in range(1, 7)] == [hue[place] for hue in HUES[:6]]
        assert tokens(sheet)["map" if place == 1 else "panel"] == GROUND["light" if place == 1 else "dark"]
    for sight, place in product(FEWER_COLOURS, (1, 2)):
        seen = [np.clip(FEWER_COLOURS[sight] @ linear(hue[place]), 0, 1) ** (1 / 2.2) for hue in HUES]
        assert min(np.abs(one - other).max() for one, other in combinations(seen, 2)) > 0.08, (sight, place)
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert contrast("#faf8f5", "#faf8f5") == 1


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_colour_contrasts_with_its_background(theme):
    grounds = tokens("tokens" if theme == "light" else "dark")
    lightest = [grounds[ground] for ground in ("map", "paper", "panel") if ground in grounds]
    for colour in (style["colour"][theme] for kind in KINDS for styles in variants(kind).values() for style in styles):
        assert min(contrast(colour, ground) for ground in lightest) >= SEEN


OWN = ('type="number"', "type='number'", 'type: "number"', "valueAsNumber", "parseFloat")


def test_number_inputs_carry_their_domain_and_no_page_has_another_kind():
    files = [*Path(settings.BASE_DIR, "static/js").rglob("*.js"), *Path(settings.BASE_DIR, "templates").rglob("*.html")]
    assert {path.suffix for path in files} == {".js", ".html"}
    assert [path.name for path in files if any(name in path.read_text() for name in OWN)] == []
    for name in DOMAINS:
        given = Context({"value": "<1", "help": "a & b"})
        html = Template(f'{{% number_input "{name}" "here" value=value help=help %}}').render(given)
        whole, param = domain(name)
        assert ("data-whole" in html) == whole, name
        assert (f'data-minimum="{param.lowest}"' in html) == (param.lowest is not None)
        assert (f'data-maximum="{param.highest}"' in html) == (param.highest is not None)
        for part in (rule_text(whole, param), 'value="&lt;1"', "a &amp; b", 'aria-describedby="here-help here-error"'):
            assert part in html


STATIC = Path(settings.BASE_DIR) / "static"


def test_style_sheets_are_linked_in_their_order():
    html = Template('{% styles "tour" "term" %}').render(Context())
    assert html.split("\n") == [f'<link rel="stylesheet" href="/static/css/{name}.css">' for name in ("tour", "term")]
    templates = "".join(path.read_text() for path in Path(settings.BASE_DIR, "templates").rglob("*.html"))
    used = {name for names in re.findall(r"{% styles ([^%]+) %}", templates) for name in re.findall(r"\w+", names)}
    assert "tour" in used
    assert [name for name in sorted(used) if not (STATIC / f"css/{name}.css").is_file()] == []
