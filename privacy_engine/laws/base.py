"""What laws are made of: a statement, a check that runs the mechanism, and how a mechanism is given its parameters."""

import json
import pickle  # nosec B403
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privacy_engine.audit import AuditSpec
from privacy_engine.audit.run import audit_of
from privacy_engine.core.params import choices_of
from privacy_engine.mechanisms.base.mechanism import Mechanism

SEED = 7
"""Of the noise of every law, so that a result can be repeated."""
Mechanisms = type[Mechanism]


class Broken(Exception):
    """A law does not hold: the least example that was met, a clause."""


class NotChecked(Exception):
    """A law cannot be checked of a mechanism: why, a clause."""


@dataclass(frozen=True)
class Law:
    """``check(cls)`` raises :class:`Broken` where ``statement`` is false of the mechanism ``cls``."""

    name: str
    statement: str
    check: Callable[[Mechanisms], None]


class Laws(list[Law]):
    """The laws of a kind of data, in the order in which they are checked, the quick ones first.

    ``given`` are the parameters with which mechanisms of the ``kind`` are described and charged.
    """

    def __init__(self, kind: str, given: Mapping[str, Any]) -> None:
        self.kind = kind
        described = Law(
            "description",
            "Its texts, parameters and guarantee can be shown, stored and read back.",
            lambda cls: _is_described(cls, given),
        )
        charged = Law(
            "charge",
            "The ledger is charged at least the level that the guarantee states.",
            lambda cls: _charges_what_it_claims(cls, given),
        )
        super().__init__([described, charged])

    def add_audit(self, given: Mapping[str, Any], trials: int) -> None:
        """The last law, which takes longest."""
        statement = f"The black-box audit of {trials:,} draws an input does not refute the level (seeded, 95 %)."
        self.append(Law("audit", statement, lambda cls: _is_consistent(cls, given, trials)))

    def add(self, name: str, statement: str) -> Callable[[Callable[[Mechanisms], None]], Callable[[Mechanisms], None]]:
        """Decorate the check of a law."""

        def decorate(check: Callable[[Mechanisms], None]) -> Callable[[Mechanisms], None]:
            self.append(Law(name, statement, check))
            return check

        return decorate


@dataclass(frozen=True)
class Outcome:
    """What became of a law: ``holds`` is None where it was not checked; ``example`` has the reason otherwise."""

    law: Law
    holds: bool | None
    example: str = ""


@dataclass(frozen=True)
class Case:
    """A mechanism with its parameters, and what it is run on as text."""

    mechanism: Any
    data: str = ""

    def require(self, holds: Any, what: str) -> None:
        """Raise :class:`Broken` with this example unless ``holds``."""
        if not holds:
            raise Broken(f"{self}: {what}")

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.mechanism if name != "name")
        return f"{self.mechanism.name}({given})" + (f" on {self.data}" if self.data else "")


def outcome_of(law: Law, cls: Mechanisms) -> Outcome:
    """Whether a law holds; what the mechanism raises breaks it."""
    try:
        law.check(cls)
    except Broken as broken:
        return Outcome(law, False, str(broken))
    except NotChecked as why:
        return Outcome(law, None, str(why))
    except Exception as error:
        return Outcome(law, False, f"it raises {type(error).__name__}: {' '.join(str(error).split())}")
    return Outcome(law, True)


def needed(cls: type[Any]) -> dict[str, Any]:
    """An example of every parameter that has no default."""
    return {
        field["name"]: field["choices"][0]["value"] if field["choices"] else field["example"]
        for field in cls.fields()
        if field["required"]
    }


def example(cls: type[Any], **given: Any) -> Any:
    """A component with what it needs; ``given`` are parameters of it."""
    return cls(**needed(cls) | {name: value for name, value in given.items() if name in cls.model_fields})


def variants(cls: type[Any], others: Mapping[str, Sequence[Any]] = {}, **given: Any) -> list[Any]:
    """:func:`example`, and with each value of each of its choices, and with ``others`` of its own numbers."""
    found = [given]
    for field, info in cls.model_fields.items():
        if field != "name":
            found += [given | {field: value} for value in (*choices_of(info), *others.get(field, ()))]
    return [example(cls, **one) for one in found]


def _is_described(cls: Mechanisms, given: Mapping[str, Any]) -> None:
    """Pages can show it, a row stores it, and another process reads it back."""
    mechanism = example(cls, **given)
    case = Case(mechanism)
    texts = [cls.title, cls.summary, cls.statement(), *cls.assumptions, *cls.caveats]
    case.require(all(text and text.strip() == text for text in texts), "a text is empty or begins or ends with blanks")
    case.require(all(text.endswith(".") for text in texts[1:]), "a text is no sentence with a full stop")
    case.require("{" not in cls.statement(), "the guarantee names a parameter that there is not")
    case.require(len(cls.documentation()) > 40, "the docstring does not state what it does")
    case.require(cls.references(), "the docstring has no References")
    json.dumps([cls.fields(), mechanism.guarantee().as_dict()], allow_nan=False)
    stored = json.loads(mechanism.model_dump_json())
    case.require(cls.model_validate(stored) == mechanism, "stored as JSON and read back it is another one")
    case.require(pickle.loads(pickle.dumps(mechanism)) == mechanism, "another process gets another one")  # noqa: S301  # nosec B301


def _charges_what_it_claims(cls: Mechanisms, given: Mapping[str, Any]) -> None:
    """The ledger is charged at least the level of the guarantee."""
    for mechanism in variants(cls, **given):
        claimed, charged = mechanism.guarantee().epsilon, mechanism.loss().epsilon
        case = Case(mechanism)
        case.require(claimed is None or charged >= claimed, f"the ledger is charged {charged:g}, claimed is {claimed}")


def _is_consistent(cls: Mechanisms, given: Mapping[str, Any], trials: int) -> None:
    """The black-box audit does not refute the level (95 % confidence; seeded)."""
    if not cls.publishable:
        raise NotChecked("it states no guarantee")
    mechanism = example(cls, **given)
    spec = AuditSpec.parse({"mechanism": mechanism.model_dump(), "trials": trials, "seed": SEED})
    result = audit_of(mechanism, spec)
    worst = max(result.pairs, key=lambda pair: pair.lower_bound / pair.claimed)
    found = f"{worst.name}: log-odds of at least {worst.lower_bound:.3g}, claimed {worst.claimed:.3g}"
    Case(mechanism).require(result.verdict != "violated", f"{found} (event: {worst.best_event})")


def same(one: Any, two: Any, *names: str) -> bool:
    """Whether these arrays of two objects are equal to the bit."""
    return all(np.array_equal(getattr(one, name), getattr(two, name), equal_nan=True) for name in names)
