"""A Jupyter notebook of a release: it opens the CSV export beside it, prints its label and plots what is published.

It is made from the label, a title and the name of that file alone. Written as nbformat 4.5 without outputs.
"""

import json
import re
from collections.abc import Mapping
from string import Template

from privacy_engine.exports.base import Label, notebooks, sentence

MEDIA_TYPE = "application/x-ipynb+json"
FORMAT = "csv"
"""The export that the notebook opens."""
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|$])")
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def notebook(kind: str, *, title: str, file_name: str, label: Label) -> str:
    """The notebook of a release of ``kind`` as JSON; it opens ``file_name``, its CSV export, from its own folder.

    Parameters
    ----------
    kind : str
        A name of :data:`privacy_engine.exports.base.notebooks`.
    title : str
        What the release is called; a line of plain text.
    label : mapping
        The privacy label, JSON-ready.
    """
    values = {
        "title": _as_markdown(title),
        "statement": _as_markdown(sentence(label)),
        "quoted_title": json.dumps(title),
        "file": json.dumps(file_name),
        "file_name": _as_markdown(file_name),
    }
    cells = [_cell(number, source, values) for number, source in enumerate(notebooks[kind].cells)]
    document = {"cells": cells, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _as_markdown(text: str) -> str:
    """Plain text as a single line, without a meaning in Markdown."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def _cell(number: int, source: tuple[str, str], values: Mapping[str, str]) -> dict[str, object]:
    cell_type, text = source
    lines = Template(text.strip()).substitute(values).splitlines(keepends=True)
    own: dict[str, object] = {"execution_count": None, "outputs": []} if cell_type == "code" else {}
    return {"cell_type": cell_type, "id": f"cell-{number:02}", "metadata": {}, "source": lines, **own}
