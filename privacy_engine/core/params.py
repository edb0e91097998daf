"""Parameter types: domain, unit and label together; forms, schemas and error messages derive from them."""

import hashlib
import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from privacy_engine.errors import ParameterError, ParameterErrors


class Frozen(BaseModel):
    """Base of everything a user describes: strict types, no unknown keys, no nan, never changed."""

    # validators are built at their first use: a process uses few of them
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False, defer_build=True)


class Spec(Frozen):
    """Base of what is described as a whole: by a form, the API, a row or a command."""

    @classmethod
    def parse(cls, description: Any) -> Self:
        """What ``description`` describes.

        Raises
        ------
        ParameterErrors
            With an error for each field at fault.
        """
        try:
            return cls.model_validate(description)
        except ValidationError as error:
            raise ParameterErrors(explain(error)) from None

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON: equal specs have equal digests."""
        text = json.dumps(self.model_dump(), sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Param:
    """How a parameter is called, shown and bounded: ``Annotated[float, Param(...)]`` is a field with this domain.

    ``lowest`` and ``highest`` are the domain, inclusive, in ``unit``; ``help`` is a plain sentence for a form;
    ``control`` names the form control to edit it with, where that does not follow from its type.
    """

    label: str
    symbol: str = ""
    unit: str = ""
    help: str = ""
    lowest: float | None = None
    highest: float | None = None
    example: Any = None
    options: tuple[tuple[str, str], ...] = ()
    control: str = ""

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        schema = handler(core)
        extra = {
            "title": self.label,
            "description": self.help,
            "x-unit": self.unit,
            "x-symbol": self.symbol,
            "minimum": self.lowest,
            "maximum": self.highest,
            "examples": None if self.example is None else [self.example],
            "x-options": [{"value": value, "label": label} for value, label in self.options] or None,
        }
        schema.update({key: value for key, value in extra.items() if value not in (None, "")})
        return schema

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def check(self, value: Any) -> Any:
        """``value`` if it lies in the domain, or is None; otherwise an error that states the rule."""
        if value is None:
            return None
        if self.lowest is not None and value < self.lowest:
            raise broken("must be greater than 0" if value <= 0 < self.lowest else f"must be at least {self.lowest:g}")
        if self.highest is not None and value > self.highest:
            raise broken(f"must be at most {self.highest:g}")
        return value


def broken(rule: str) -> PydanticCustomError:
    """What a validator raises where a value breaks ``rule`` ("must be …"); :func:`explain` adds the rest."""
    return PydanticCustomError("domain", "{rule}", {"rule": rule})


Epsilon = Annotated[
    float,
    Param(
        label="Level",
        symbol="ε",
        help="Bounds how far the odds may change for two places one radius apart. Smaller protects more.",
        lowest=1e-6,
        highest=1e4,
        example=1.0,
    ),
]
RadiusM = Annotated[
    float,
    Param(
        label="Radius",
        symbol="r",
        unit="m",
        help="The distance at which two places are protected with ε. The paper uses 1 m.",
        lowest=0.01,
        highest=2e7,
        example=1.0,
    ),
]
DistanceM = Annotated[
    float,
    Param(
        label="Distance",
        unit="m",
        help="How far from its first point a stay may reach.",
        lowest=0.0,
        highest=2.1e7,
        example=200.0,
    ),
]
DurationS = Annotated[
    float,
    Param(
        label="Duration",
        unit="s",
        help="How long a stay must last.",
        lowest=0.0,
        highest=1e9,
        example=1800.0,
    ),
]
GapS = Annotated[
    float,
    Param(label="Gap limit", unit="s", help="A gap longer than this ends a stay.", lowest=0.0, highest=1e9),
]
PlaceM = Annotated[
    float,
    Param(
        label="One place within",
        unit="m",
        help="Stays of one person this near to an earlier one are at the same place, which gets a name.",
        lowest=0.0,
        highest=2.1e7,
    ),
]
WindowLength = Annotated[
    int,
    Param(
        label="Window",
        symbol="w",
        unit="events",
        help="How many successive events share the level. 1 is event level, the whole series user level.",
        lowest=1,
        highest=10_000_000,
        example=10,
    ),
]
StepVarianceM2 = Annotated[
    float,
    Param(
        label="Step variance",
        symbol="q",
        unit="m²",
        help="How far one moves between two events: variance per axis, from public knowledge, never from this trace. "
        "Twice the distance is four times the variance; if unsure, choose it larger.",
        lowest=1e-4,
        highest=1e14,
        example=250_000.0,
    ),
]
SelectionLevel = Annotated[
    float,
    Param(
        label="Level of the selection",
        symbol="ε",
        help="A plain level, never added to the ε per metre of a release. Smaller draws the number of dummies more "
        "evenly; it promises nothing about which events are landmarks.",
        lowest=1e-6,
        highest=1e4,
        example=1.0,
    ),
]
CoinLevel = Annotated[
    float,
    Param(
        label="Level of the selection",
        symbol="ε",
        help="A plain level, never added to the ε per metre of a release. Each event that is no landmark is marked "
        "with probability e to the −ε: smaller protects more and marks more.",
        lowest=1e-6,
        highest=20.0,  # coins are exact at every level, but beyond this they are practically never true
        example=1.0,
    ),
]
AssumedStepVarianceM2 = Annotated[
    float,
    Param(
        label="Step variance",
        symbol="q",
        unit="m²",
        help="How far one moves between two events: variance per axis. Left out, it is estimated from the release.",
        lowest=1e-4,
        highest=1e14,
    ),
]
HighestSpeed = Annotated[
    float,
    Param(
        label="Highest speed",
        unit="km/h",
        help="The highest possible speed in these data: on foot 15, by car 200, by air 1,100.",
        lowest=0.1,
        highest=1e6,
        example=200.0,
    ),
]
SilenceS = Annotated[
    float,
    Param(
        label="Gap",
        unit="s",
        help="A longer gap ends a series, and the next event begins another.",
        lowest=0.0,
        highest=1e10,
        example=1800.0,
    ),
]
LeastEvents = Annotated[
    int,
    Param(
        label="Shortest piece",
        unit="events",
        help="Pieces with fewer events are left out.",
        lowest=1,
        highest=10_000_000,
        example=2,
    ),
]
BeatS = Annotated[
    float,
    Param(
        label="Interval",
        unit="s",
        help="The time from one event to the next.",
        lowest=0.001,
        highest=1e9,
        example=60.0,
    ),
]
EventCount = Annotated[
    int,
    Param(
        label="Events",
        help="How many of each series stay. The paper uses the first 1,000.",
        lowest=1,
        highest=10_000_000,
        example=1000,
    ),
]
Seed = Annotated[
    int,
    Param(
        label="Seed",
        help="Makes the run repeatable, and so never private: for experiments only.",
        lowest=0,
        highest=2**53 - 1,
    ),
]
Repetitions = Annotated[
    int,
    Param(
        label="Repetitions",
        help="Number of repetitions with new noise. The paper uses 100.",
        lowest=1,
        highest=1_000_000,
        example=100,
    ),
]

_RULES = {
    "missing": "is required",
    "extra_forbidden": "is not a parameter here",
    "float_type": "must be a number",
    "int_type": "must be a whole number",
    "bool_type": "must be true or false",
    "string_type": "must be text",
    "string_unicode": "must be text",
    "finite_number": "must be a finite number",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
}


_BOUNDS = {  # pydantic's own constraints: the text for the bound in their context
    "greater_than": ("must be greater than {:g}", "gt"),
    "greater_than_equal": ("must be at least {:g}", "ge"),
    "less_than": ("must be less than {:g}", "lt"),
    "less_than_equal": ("must be at most {:g}", "le"),
    "too_short": ("must have at least {:,} entries", "min_length"),
    "too_long": ("must have at most {:,} entries", "max_length"),
    "string_too_long": ("must have at most {:,} characters", "max_length"),
}


def _rule(error: Any) -> str:
    if error["type"] == "literal_error":
        return f"must be one of {error['ctx']['expected']}".replace(" or ", ", ")
    if error["type"] in _BOUNDS:
        text, bound = _BOUNDS[error["type"]]
        return text.format(error["ctx"][bound])
    return str(_RULES.get(error["type"], error["msg"]))


def explain(error: ValidationError, *, prefix: str = "") -> list[ParameterError]:
    """Pydantic's errors as ours: field, rule and value of each, and a sentence made of the three."""
    errors = []
    for item in error.errors(include_url=False):
        inner = item.get("ctx", {}).get("error")
        if isinstance(inner, ParameterErrors):  # a nested description has explained itself already
            errors.extend(inner.errors)
            continue
        field = ".".join(str(part) for part in ((prefix,) if prefix else ()) + tuple(item["loc"])) or "description"
        rule, value = _rule(item), None if item["type"] == "missing" else item["input"]
        got = "" if item["type"] in ("missing", "extra_forbidden") else f", got {brief(value)}"
        errors.append(ParameterError(f"{field} {rule}{got}", field=field, rule=rule, value=value))
    return errors


def brief(value: Any) -> str:
    """``value`` as a message shows it."""
    try:
        text = repr(value)
    except ValueError:
        return "a number too long to show"
    except RecursionError:
        return "something nested too deep to show"
    return text if len(text) <= 60 else text[:59] + "…"


def param_of(info: FieldInfo) -> Param | None:
    """The :class:`Param` a model's field was declared with."""
    inside = [item for arg in get_args(info.annotation) for item in getattr(arg, "__metadata__", ())]  # of "X | None"
    return next((item for item in [*info.metadata, *inside] if isinstance(item, Param)), None)


def choices_of(info: FieldInfo) -> tuple[Any, ...]:
    """The values a ``Literal`` field may take; empty for any other field."""
    return get_args(info.annotation) if getattr(info.annotation, "__origin__", None) is Literal else ()
