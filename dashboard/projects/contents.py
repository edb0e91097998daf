"""What can be put into a project: each app states its rows as it starts, and the pages of projects list them."""

from collections.abc import Callable
from typing import Any, NamedTuple


class Content(NamedTuple):
    """Rows of a sort: their title, the page that lists them, and those that a user may read."""

    title: str
    url: str
    visible: Callable[[Any], Any]


contents: dict[str, Content] = {}
"""By what each of them is called in addresses, in the order of the apps."""


def add_content(what: str, title: str, url: str, visible: Callable[[Any], Any]) -> None:
    """List rows on the pages of projects."""
    contents[what] = Content(title, url, visible)
