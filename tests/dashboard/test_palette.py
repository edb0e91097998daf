"""Colours, number inputs and preloaded modules: what templates make of what the code states."""

import re
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.template import Context, Template

from dashboard.core.palette import DASHES, GROUND, HUES, SEEN, Assignment, contrast, palette, variants
from dashboard.core.templatetags.modules import imported
from dashboard.core.templatetags.number_fields import DOMAINS, domain, rule_text
from privacy_engine.data import KINDS

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


def test_styles_are_assigned_one_after_another_for_any_number_of_releases():
    assignment = Assignment("trajectory")
    assert [assignment.next("landmark-skip") for _ in range(30)][: len(DASHES)] == variants()["landmark-skip"]
    assert assignment.next("landmark-joint") == palette()["landmark-joint"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_colour_contrasts_with_its_background(theme):
    grounds = tokens("tokens" if theme == "light" else "dark")
    lightest = [grounds[ground] for ground in ("map", "paper", "panel") if ground in grounds]
    for colour in (style["colour"][theme] for kind in KINDS for styles in variants(kind).values() for style in styles):
        assert min(contrast(colour, ground) for ground in lightest) >= SEEN


def test_the_style_sheets_have_the_same_colours_which_differ_with_colour_blindness():
    for sheet, place in (("tokens", 1), ("dark", 2)):
        assert [tokens(sheet)[f"m{i}"] for i in range(1, 7)] == [hue[place] for hue in HUES[:6]]
        assert tokens(sheet)["map" if place == 1 else "panel"] == GROUND["light" if place == 1 else "dark"]
    for sight, place in product(FEWER_COLOURS, (1, 2)):
        seen = [np.clip(FEWER_COLOURS[sight] @ linear(hue[place]), 0, 1) ** (1 / 2.2) for hue in HUES]
        assert min(np.abs(one - other).max() for one, other in combinations(seen, 2)) > 0.08, (sight, place)
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert contrast("#faf8f5", "#faf8f5") == 1


OWN = ('type="number"', "type='number'", 'type: "number"', "valueAsNumber", "parseFloat")


def test_no_page_has_a_number_input_that_drops_what_it_cannot_read():
    files = [*Path(settings.BASE_DIR, "static/js").rglob("*.js"), *Path(settings.BASE_DIR, "templates").rglob("*.html")]
    assert {path.suffix for path in files} == {".js", ".html"}
    assert [path.name for path in files if any(name in path.read_text() for name in OWN)] == []


def test_an_input_carries_its_domain_and_states_it():
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
PAGES = sorted(str(path.relative_to(STATIC)) for path in (STATIC / "js" / "pages").glob("*.js"))


def test_preloads_every_module_once_before_the_script():
    """Every specifier in the file and in all that it imports, by an independent parser."""
    assert PAGES
    for page in PAGES:
        found = imported(page)
        assert len(set(found)) == len(found)
        files = {(STATIC / one).resolve() for one in (page, *found)}
        requested = {
            (path.parent / name).resolve()
            for path in files
            for name in re.findall(r'(?:from|import) "(\.[^"]+)"', path.read_text())
        }
        assert requested == files - {(STATIC / page).resolve()}, page
    html = Template('{% module "js/pages/compare.js" %}').render(Context())
    assert html.index('<link rel="modulepreload" href="/static/js/core/api.js">') < html.index('<script type="module"')
    assert html.endswith('src="/static/js/pages/compare.js"></script>')
    with pytest.raises(FileNotFoundError, match=re.escape("js/pages/nothing.js")):
        imported("js/pages/nothing.js")
