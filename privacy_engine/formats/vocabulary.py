"""How columns are called, in many languages: the lists of ``vocabulary.toml``."""

import tomllib
from pathlib import Path

_LISTS = tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text("utf-8"))
ZONES: dict[str, str] = {short: zone for zone, names in _LISTS["zones"].items() for short in names.split()}
"""The likeliest zones of abbreviations that stand for several."""


def names_of(section: str, key: str) -> tuple[str, ...]:
    """The names of a list, in their order.

    >>> names_of("counts", "name_ends")[:2]
    ('_id', '_no')
    """
    return tuple(_LISTS[section][key].split())


def terms_of(section: str, key: str) -> frozenset[str]:
    """The parts of names of a list.

    >>> "utc" in terms_of("time", "utc")
    True
    """
    return frozenset(names_of(section, f"{key}_terms"))
