"""Names of downloaded files: the dataset, what the file has, its parameters; and the header that sends such a name.

static/js/core/dom.js is the same rule for files that a page makes.
"""

import re
import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from privacy_engine.core.component import Component

MOST = 60  # characters of a part
MOST_BYTES = 200  # of a name before its suffix; file systems take 255
_SHORT = {"epsilon": "eps", "radius_m": "D", "sensitivity": "sensitivity"}  # symbols that are not ASCII or differ
_AREA = ("west", "south", "east", "north")


def file_name(*parts: str, extension: str) -> str:
    """Return ``parts`` as a file name: letters, digits, points and hyphens, an underscore between two parts.

    >>> file_name("Geolife 000", "landmark-uniform", "eps1", "D1000m", extension="gpkg")
    'Geolife-000_landmark-uniform_eps1_D1000m.gpkg'
    >>> file_name("../Übung: a/b", "", "=1+2", extension=".csv")
    'Übung-a-b_1-2.csv'
    """
    return f"{file_stem(*parts)}.{extension.lstrip('.')}"


def file_stem(*parts: str) -> str:
    """Return :func:`file_name` without its extension."""
    stem = "_".join(part for part in map(_cleaned, parts) if part)
    return stem.encode()[:MOST_BYTES].decode(errors="ignore").rstrip("-._") or "cairn"


def _cleaned(part: str) -> str:
    text = "".join(
        char if char == "." or unicodedata.category(char)[0] in "LMN" else "-"
        for char in unicodedata.normalize("NFKC", part)
    )
    return re.sub(r"-*\.[-.]*|-+", lambda gap: "." if "." in gap[0] else "-", text).strip("-.")[:MOST].rstrip("-.")


def title_parts(title: str) -> list[str]:
    """Return the parts of a title such as "Skip · ε 0.1–2 / 200 m · Taxi day"."""
    return re.split(r" · |, ", re.sub(r"ε (= )?", "eps", title))


def parameter_parts(component: Component) -> list[str]:
    """Return the parameters of ``component`` that differ from their defaults, as parts of a file name.

    The edges of an area are left out: four numbers more would make the name unreadable.
    """
    parts = []
    for field in type(component).fields():
        value = getattr(component, field["name"])
        if value != field["default"] and field["name"] not in _AREA:
            parts.append(_parameter(field, value))
    return parts


def _parameter(field: Mapping[str, Any], value: Any) -> str:
    """One parameter: eps1, D1000m, w52; a choice is its value alone."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    text = f"{Decimal(str(value)).normalize():f}"
    unit = field["unit"] if field["unit"] in ("m", "s", "m²") else ""
    return f"{_SHORT.get(field['name']) or field['symbol'] or field['name']}{text}{unit}"


def content_disposition(name: str) -> str:
    """Return the header of a download called ``name``: in ASCII for every client, and as it is (RFC 5987, RFC 6266).

    >>> content_disposition("Übung_eps1.csv")
    "attachment; filename=\\"Ubung_eps1.csv\\"; filename*=UTF-8''%C3%9Cbung_eps1.csv"
    """
    stem, _, extension = name.rpartition(".")
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode()
    ascii_name = file_name(*plain.split("_"), extension=extension)
    if ascii_name == name:
        return f'attachment; filename="{name}"'
    return f"attachment; filename=\"{ascii_name}\"; filename*=UTF-8''{quote(name, safe='')}"
