"""References of components as BibTeX, and text as TeX takes it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_REFERENCE = re.compile(r'(?P<authors>.+?)\. "(?P<title>.+?)"\. (?P<venue>.+?),? (?P<year>\d{4})\.')
JOURNALS = {"PVLDB", "TKDE", "JASA"}
SPECIAL = {char: rf"\{char}" for char in "&%$#_"} | {
    "{": r"\textbraceleft{}",  # BibTeX counts braces also where they are escaped
    "}": r"\textbraceright{}",
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    '"': "''",
    "ε": r"$\varepsilon$",
    "Δ": r"$\Delta$",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "°": r"$^\circ$",
    "²": "$^2$",
    "–": "--",
    "’": "'",
    "\u202f": r"\,",
    "\xa0": "~",
}
LATIN = "\u017f"
"""The last letter that fonts of the encoding T1 have."""


def tex(text: str) -> str:
    r"""Return ``text`` for TeX with the encodings UTF-8 and T1; what these lack becomes ASCII or its number.

    >>> print(tex("50 % & _Ü_ {ε} 中"))
    50 \% \& \_Ü\_ \textbraceleft{}$\varepsilon$\textbraceright{} [U+4E2D]
    """
    return "".join(map(_tex, unicodedata.normalize("NFC", text)))


def _tex(char: str) -> str:
    if char in SPECIAL:
        return SPECIAL[char]
    if (char.isascii() and char.isprintable()) or (char.isalpha() and char <= LATIN):
        return char
    plain = unicodedata.normalize("NFKD", char).encode("ascii", "ignore").decode()
    return "".join(map(_tex, plain)) if plain.isprintable() and plain else f"[U+{ord(char):04X}]"


@dataclass(frozen=True)
class Citation:
    """An entry of a bibliography: its ``key``, its ``kind`` in BibTeX, ``fields`` by name, as text."""

    key: str
    kind: str
    fields: dict[str, str]

    def bibtex(self) -> str:
        """The entry as BibTeX."""
        texts = {name: f"{{{tex(text)}}}" for name, text in self.fields.items()}
        texts["title"] = f"{{{texts['title']}}}"  # its capitals stay
        return "\n".join([f"@{self.kind}{{{self.key},", *(f"  {name} = {text}," for name, text in texts.items()), "}"])

    def line(self) -> str:
        """The entry as text, its fields in sequence."""
        fields = self.fields | {"author": self.fields["author"].replace(" and ", ", ")}
        return " ".join(f"{text.rstrip('.')}." for text in fields.values())


def citation(reference: str) -> Citation:
    """Return the entry of a reference as docstrings have it.

    Raises
    ------
    ValueError
        It is not written as: Authors. "Title". Venue year.

    >>> citation('Hardt, Talwar. "On the Geometry of Differential Privacy". STOC 2010.').key
    'hardt2010geometry'
    """
    match = _REFERENCE.match(reference)
    if match is None:
        raise ValueError(f"no reference: {reference}")
    authors, title, venue, year = match.groups()
    name = next((term for term in re.findall(r"\w+", title) if len(term) > 3), "work")
    first = unicodedata.normalize("NFKD", authors.split(",")[0])
    key = re.sub(r"[^a-z0-9]", "", f"{first}{year}{name}".lower())
    is_conference = venue.isupper() and venue not in JOURNALS
    where = {"booktitle": venue} if is_conference else {"journal": venue}
    fields = {"author": " and ".join(authors.split(", ")), "title": title, **where, "year": year}
    return Citation(key, "inproceedings" if is_conference else "article", fields)
