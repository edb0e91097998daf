"""The laws of the engine: Cairn's own mechanisms keep them, and ten that each break one are found to break it."""

import pytest

from privacy_engine.laws import LAWS, outcome_of
from privacy_engine.mechanisms.base.mechanism import mechanisms
from tests.cases import each
from tests.engine.faulty_mechanisms import FAULTY

SLOW = {"audit", "noise", "many", "forecast", "densities"}
OF_MINUTES = {"stream-shrink", "stream-fast"}  # of an audit
PAIRS = [
    pytest.param(
        law,
        cls,
        id=f"{law.name}-{cls.registered_name()}",
        marks=[pytest.mark.slow] * (law.name in SLOW)
        + [pytest.mark.thorough] * (law.name == "audit" and cls.registered_name() in OF_MINUTES),
    )
    for kind, laws in LAWS.items()
    for law in laws
    for cls in mechanisms.of(kind)
]


@pytest.mark.parametrize(("law", "cls"), PAIRS)
def test_every_mechanism_keeps_every_law(law, cls):
    outcome = outcome_of(law, cls)
    assert outcome.holds or (outcome.holds is None and not cls.publishable), outcome.example


@each("cls", FAULTY)
def test_a_mechanism_that_breaks_a_law_is_found_with_an_example(cls):
    """Each breaks the law that its ``breaks`` names, and its example is of it; quick laws before that one hold."""
    outcomes = {law.name: outcome_of(law, cls) for law in LAWS["trajectory"] if law.name in {cls.breaks, *cls.keeps}}
    assert outcomes[cls.breaks].holds is False
    assert cls.example in outcomes[cls.breaks].example
    assert all(outcomes[name].holds is not False for name in cls.keeps), outcomes
