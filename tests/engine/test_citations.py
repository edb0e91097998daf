"""What papers cite: every reference of a mechanism as BibTeX, and texts that TeX reads as they are."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine import mechanisms as _families  # noqa: F401  (registers them)
from privacy_engine.core.citations import citation, tex
from privacy_engine.mechanisms.base.mechanism import mechanisms

HOSTILE = "100 % & _a_ #1 {b ~ ^ \\input{x} $x$ 中\n%"


def unescaped(text, special="%&_#$~^"):
    """The special characters of a text that TeX would act on; commands of its own are left out."""
    known = re.sub(
        r"\\(textbackslash|textasciitilde|textasciicircum|textbrace(left|right)|varepsilon|cdot)\b", "", text
    )
    known = re.sub(r"\$\\?[A-Za-z]*\$|\$\^\\?\w+\$", "", known)
    return re.findall(rf"(?<!\\)[{re.escape(special)}]", known)


def balanced(text):
    """True if every brace, which no backslash escapes, has its partner."""
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", text):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return depth == 0


@pytest.mark.parametrize("cls", list(mechanisms), ids=lambda cls: cls.registered_name())
def test_every_reference_of_a_mechanism_is_an_entry(cls):
    references = cls.references()
    assert references
    assert " ".join(references) == cls.source()
    entries = [citation(one) for one in references]
    assert len({one.key for one in entries}) == len(entries)
    for one, reference in zip(entries, references, strict=True):
        assert one.fields["title"] in reference
        assert re.fullmatch(r"[a-z]+\d{4}[a-z]+", one.key)
        assert re.fullmatch(r"\d{4}", one.fields["year"])
        text = one.bibtex()
        assert text.startswith(f"@{one.kind}{{{one.key},\n")
        assert balanced(text)


def test_entries_are_of_conferences_or_journals():
    found = citation('Kellaris, Papadopoulos. "Event sequences". PVLDB 2014.')
    assert (found.kind, found.fields["journal"]) == ("article", "PVLDB")
    assert found.fields["author"] == "Kellaris and Papadopoulos"
    found = citation('Andrés, Bordenabe. "Geo-indistinguishability". CCS 2013. (The theorem.)')
    assert (found.kind, found.fields["booktitle"], found.key) == (
        "inproceedings",
        "CCS",
        "andres2013indistinguishability",
    )
    with pytest.raises(ValueError, match="no reference"):
        citation("See the manual.")


def test_texts_are_escaped():
    text = tex(HOSTILE)
    assert text == (
        r"100 \% \& \_a\_ \#1 \textbraceleft{}b \textasciitilde{} \textasciicircum{} "
        r"\textbackslash{}input\textbraceleft{}x\textbraceright{} \$x\$ [U+4E2D][U+000A]\%"
    )
    assert tex("Übung ﬁ ε") == r"Übung fi $\varepsilon$"


@given(st.text())
def test_no_text_ends_a_group_or_a_line(text):
    found = tex(text)
    assert balanced(found)
    assert not unescaped(found, "%&_#")
    assert found.splitlines() == ([found] if found else [])
