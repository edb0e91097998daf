"""Generated pages: everything that is registered has its page or row, with its defaults; figures are plain SVG."""

import re
from xml.etree import ElementTree

import pytest
from django.core.management import get_commands
from drf_spectacular.generators import SchemaGenerator

from dashboard.core.failures import ADVICE
from dashboard.core.templatetags.glossary import GLOSSARY
from privacy_engine.attacks import attacks
from privacy_engine.cleaning import cleaning_steps
from privacy_engine.commands import NAMES
from privacy_engine.exports.base import formats_of
from privacy_engine.formats.detect import formats
from privacy_engine.formats.table_kind import table_kinds
from privacy_engine.landmarks.dummy_methods import dummy_methods
from privacy_engine.landmarks.methods import landmark_methods
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.metrics import metrics
from privacy_engine.postprocess import postprocesses
from scripts.measured_use import measured_use
from scripts.reference_pages import pages
from scripts.results_figures import figures
from tests.cases import each

LISTED = {
    "landmarks": [*landmark_methods, *dummy_methods],
    "steps": [*cleaning_steps, *postprocesses],
    "attacks": list(attacks),
    "metrics": list(metrics),
}


@pytest.fixture(scope="module")
def made():
    return pages()


def rows_of(page):
    """Cells of the rows of all tables, by their first cell."""
    lines = [line.strip("|\n").split(" | ") for line in page.splitlines() if line.startswith("| `")]
    return {cells[0].strip(" `"): [cell.strip(" |") for cell in cells] for cells in lines}


def test_every_mechanism_has_a_page_with_its_guarantee_parameters_sources_and_figure(made):
    index = made["reference/mechanisms/index.md"]
    for cls in mechanisms:
        name = cls.registered_name()
        page = made[f"reference/mechanisms/{name}.md"]
        assert f"({name}.md)" in index
        assert all(f"\n## {head}\n" in page for head in ("Guarantee", "How it works", "Parameters", "Sources"))
        assert cls.better_elsewhere in page
        assert not measured_use(cls) or "\n## When to use it\n" in page
        assert all(source in page for source in cls.references())
        assert cls.needs_venues or f"reference/mechanisms/{name}.svg" in made


def test_what_was_measured_of_a_mechanism_follows_from_the_tables():
    assert measured_use(mechanisms["checkin-nearest"]) == []
    [attack] = measured_use(mechanisms["user-level"])
    assert "by a factor of 0.97 (Taxi day, r = 200 m), 1.50 (Taxi day, r = 20 m), 1.20 (Walk across Paris" in attack
    [shown] = measured_use(mechanisms["checkin-blend"])
    assert "in 32 of 36 with each user protected and in 36 of 36 with each check-in protected" in shown
    assert {cls.kind for cls in mechanisms if measured_use(cls)} == {"trajectory", "stream", "checkins"}


def test_defaults_are_those_of_the_registry(made):
    for cls in mechanisms:
        rows = rows_of(made[f"reference/mechanisms/{cls.registered_name()}.md"])
        for field in cls.fields():
            cell = rows[field["name"]][2]
            if field["required"]:
                assert cell == "required", field["name"]
            elif field["default"] not in (None, ""):
                assert cell == f"`{field['default']}`", field["name"]
            assert (field["unit"] or "") in rows[field["name"]][1]


def test_everything_else_that_is_registered_has_its_section_or_row(made):
    for name, registry in LISTED.items():
        assert all(f"`{cls.registered_name()}`" in made[f"reference/{name}.md"] for cls in registry)
    page = made["reference/formats.md"]
    assert all(f"`{fmt.name}`" in page for fmt in formats() if not fmt.hidden)
    assert all(f"`{name}`" in page for kind in table_kinds for name in formats_of(kind))
    commands = {*NAMES, *(name for name, app in get_commands().items() if app.startswith("dashboard."))}
    listed = re.findall(r"^##+ (\S+)\n\n```text\nusage: \S+ (\S+)", made["reference/command-line.md"], re.MULTILINE)
    assert sorted(listed) == sorted((name, name) for name in commands)
    assert all(f"{{: #{name} }}" in made["reference/glossary.md"] for name in GLOSSARY)
    assert set(rows_of(made["reference/failures.md"])) == set(ADVICE)


def test_every_operation_of_the_api_is_once_in_a_page_of_its_group(made):
    schema = SchemaGenerator().get_schema(public=True)
    pages_of = {path: text for path, text in made.items() if path.startswith("reference/operations/")}
    for address, operations in schema["paths"].items():
        for method, operation in operations.items():
            where = [path for path, text in pages_of.items() if f"`{method.upper()} {address}`" in text]
            assert where == [f"reference/operations/{operation['tags'][0]}.md"]
    for text in pages_of.values():
        anchors = set(re.findall(r"{: #(\S+) }", text))
        assert set(re.findall(r"\(#(\S+?)\)", text)) <= anchors


def test_no_cell_is_a_value_of_python(made):
    for path, text in made.items():
        if path.endswith(".md"):
            assert not re.search(r"\| `?(None|nan|TODO)`? \|", text), path


@pytest.mark.slow
@each("drawn", [pages, figures])
def test_figures_are_svg_that_the_policy_permits(drawn):
    found = [content for path, content in drawn().items() if path.endswith(".svg")]
    assert found
    for content in found:
        for element in ElementTree.fromstring(content).iter():
            assert element.tag.rpartition("}")[2] not in ("script", "style", "foreignObject")
            assert not [name for name in element.attrib if name == "style" or name.startswith("on")]
