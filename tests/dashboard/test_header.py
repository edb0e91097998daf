"""The header marks the section that a page belongs to, and no other."""

import re

from django.urls import reverse

SECTIONS = {
    "datasets:list": "Datasets",
    "streams:list": "Streams",
    "releases:recommend": "Recommend",
    "experiments:list": "Experiments",
    "audits:list": "Audits",
    "accounts:tokens": "API",
}


def test_one_section_is_marked(client, owner):
    for page, section in SECTIONS.items():
        client.force_login(owner)
        text = client.get(reverse(page)).content.decode()
        [links] = re.findall(r'<nav class="header__nav".*?</nav>', text, re.DOTALL)
        assert re.findall(r'aria-current="page">([^<]+)<', links) == [section], (page, section)
        assert links.count("aria-current") == 1, (page, section)


def test_the_menu_marks_its_pages(client, owner):
    for page, marks in [
        ("glossary", [("page", "Glossary")]),
        ("accounts:account", [("page", "Account")]),
        ("accounts:password", [("true", "Account")]),
        ("accounts:tokens", []),
    ]:
        client.force_login(owner)
        text = client.get(reverse(page)).content.decode()
        [menu] = re.findall(r'<div class="menu__panel".*?</details>', text, re.DOTALL)
        assert re.findall(r'aria-current="(\w+)">([^<]+)<', menu) == marks, (page, marks)
