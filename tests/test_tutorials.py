"""The tutorials run from an empty folder, and print what they show."""

import pytest

from tests.pages import run_page

PAGES = ["tutorial/privacy-researcher", "tutorial/reproduce-the-papers", "explanation/landmark-privacy"]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_prints_what_it_shows(name, tmp_path):
    run_page(f"docs/{name}.md", tmp_path)
