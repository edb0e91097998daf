"""The tutorials run from an empty folder, and print what they show."""

import pytest

from tests.pages import run_page


@pytest.mark.parametrize("name", ["privacy-researcher", "reproduce-the-papers"])
def test_a_tutorial_prints_what_it_shows(name, tmp_path):
    run_page(f"docs/tutorial/{name}.md", tmp_path)
