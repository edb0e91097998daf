"""``Mechanism``: a frozen description whose fields are its parameters and whose docstring is its guarantee.

Every kind of data has a base class of its own in :mod:`privacy_engine.mechanisms.base`. Adding a mechanism is a file
and an import line.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

from privacy_engine.accounting.privacy_loss import PrivacyLoss
from privacy_engine.accounting.promise import Context, Neighbours, shortest
from privacy_engine.core.component import Component
from privacy_engine.data.counted import Counted
from privacy_engine.registry import Registry

NO_CONTEXT = Context()


@dataclass(frozen=True)
class Guarantee:
    """A theorem as a reader meets it: a sentence, what it assumes, what it does not cover.

    ``epsilon`` is the level that the promise about the upload has; ``radius_m`` the distance within which it holds,
    None where the promise is about no distance. Without a guarantee both are None: the statement has the reason.
    """

    level: str
    unit: str
    neighbours: Neighbours
    epsilon: float | None
    radius_m: float | None
    statement: str
    assumptions: tuple[str, ...]
    caveats: tuple[str, ...]
    not_covered: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The guarantee as JSON-ready data."""
        lists = {name: list(getattr(self, name)) for name in ("assumptions", "caveats", "not_covered")}
        return asdict(self) | lists


class Mechanism(Component):
    """Base of every mechanism of every kind of data.

    ``level`` is what is protected: ``event``, ``w-event``, ``landmark``, ``user`` or ``record``. Sentences have no full
    stop: conditions and what is not covered follow in the same sentence; ``remark`` is a sentence of its own.
    ``clear_fields`` are published without noise; ``grid_text`` describes which numbers can be published at all.
    ``publishable`` is False where no parameters give a guarantee: forms of releases do not offer it.
    ``first_choice`` is True of that which forms begin with, ``better_elsewhere`` where another was measured to be
    better, as sentences. ``noise_varies`` is True where a release draws noise of
    several scales. ``reads_landmarks`` is True where budgets or noise depend on which events are landmarks,
    ``needs_venues`` where the data must have come with a list of venues, ``has_box`` where parameters are the box of a
    public grid. ``most_events`` of a person can be drawn, where memory has all of them at once.
    """

    level: ClassVar[str]
    sentence: ClassVar[str]
    remark: ClassVar[str] = ""
    neighbours: ClassVar[Neighbours]
    assumptions: ClassVar[tuple[str, ...]] = ()
    caveats: ClassVar[tuple[str, ...]] = ()
    clear_fields: ClassVar[tuple[str, ...]] = ()
    grid_text: ClassVar[str] = ""

    publishable: ClassVar[bool] = True
    first_choice: ClassVar[bool] = False
    better_elsewhere: ClassVar[str] = ""
    noise_varies: ClassVar[bool] = False
    reads_landmarks: ClassVar[bool] = False
    needs_venues: ClassVar[bool] = False
    has_box: ClassVar[bool] = False
    most_events: ClassVar[int | None] = None

    epsilon: Any

    @property
    def variant(self) -> str:
        """What titles add where choices are not as they are by default; "" where they are."""
        return ""

    @property
    def unsound(self) -> str:
        """Why the guarantee does not hold for these parameters, a clause; empty where it holds."""
        return ""

    def release(self, *data: Any, **more: Any) -> Any:
        """One release of ``data``, randomness only through ``rng``; the base class of each kind has the arguments.

        It is ``private`` only if ``rng`` is :func:`privacy_engine.noise.publishable` or a watched source of it.
        """
        raise NotImplementedError

    def loss(self, context: Context = NO_CONTEXT) -> PrivacyLoss:
        """What a ledger is charged for a release."""
        raise NotImplementedError

    def guarantee(self, context: Context = NO_CONTEXT) -> Guarantee:
        """What a release protects of an upload, given its :class:`~privacy_engine.accounting.promise.Context`."""
        raise NotImplementedError

    def promise_context(self, context: Context) -> Context:
        """``context`` as far as the promise depends on it, with the conditions of the choice of landmarks."""
        return context

    def protected_level(self) -> str:
        """The level of this description: :attr:`level`, unless a parameter decides it."""
        return self.level

    def level_text(self) -> str:
        """The level as a label's line names it."""
        return f"epsilon {shortest(self.epsilon)}"

    def for_counts(self, counted: Counted | None, tree: Mapping[str, str]) -> Self:
        """Itself with what follows from counts, where it was not given; mechanisms of other data follow from none.

        These are the sensitivity of ``counted`` events, and ``tree`` of :func:`privacy_engine.data.hierarchy.natural`.

        Raises
        ------
        ParameterErrors
            A smaller sensitivity was given: the guarantee would not be about the unit that the counts are of.
        """
        return self

    def label_fields(self, context: Context) -> dict[str, Any]:
        """Fields of :class:`privacy_engine.releases.label.Label` that only some kinds of data have, by name."""
        return {}

    def label_parts(self, context: Context) -> tuple[str, ...]:
        """What the line of a private release's label states beside its guarantee, each a clause."""
        return ()

    def promised(self, context: Context, clause: str) -> str:
        """``clause``, which carries ε, with its conditions and what is not covered; then the remark.

        It states which package the promise is of, where that is not reviewed.
        """
        by = f", as {self.origin} states, which is not reviewed" if self.origin else ""
        return f"{context.qualified(clause + by)} {self.remark}".rstrip()

    @classmethod
    def statement(cls) -> str:
        """The guarantee's sentence in symbols, for any parameters."""
        filled = cls.sentence.format(**cls.symbols()).replace(", ε = ε", "")
        return f"{filled}. {cls.remark}".rstrip()

    @classmethod
    def symbols(cls) -> dict[str, str]:
        """The symbol of each parameter, or its label where it has none."""
        return {field["name"]: field["symbol"] or field["label"].lower() for field in cls.fields()}

    def numbers(self) -> dict[str, str]:
        """The values of its numeric parameters as a sentence shows them."""
        return {name: number_text(value) for name, value in self if isinstance(value, float | int)}


def number_text(value: float) -> str:
    """A number as a sentence shows it: whole ones with commas, others with the fewest digits.

    >>> number_text(1200), number_text(0.5)
    ('1,200', '0.5')
    """
    return f"{value:,}" if isinstance(value, int) else shortest(value)


mechanisms: Registry[Mechanism] = Registry("mechanism", "cairn.mechanisms", Mechanism)


def offered(kind: str) -> list[type[Mechanism]]:
    """The mechanisms of a kind of data that forms of releases offer, the first choice first."""
    return sorted((cls for cls in mechanisms.of(kind) if cls.publishable), key=lambda cls: not cls.first_choice)
