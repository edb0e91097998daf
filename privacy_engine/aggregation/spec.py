"""``AggregationSpec``: how events are counted: grid, steps of time, what counts once."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from privacy_engine.aggregation.steps import StepLength, instant_of, step_length
from privacy_engine.core.params import Param, Spec, broken
from privacy_engine.data.counted import Unit
from privacy_engine.landmarks.local_time import zone_names

MOST_SENSITIVE = 50
"""The largest sensitivity of stream mechanisms."""

CellM = Annotated[
    float,
    Param(
        label="Cell size",
        unit="m",
        help="The side of a cell in the middle of the box, at most. Choose it from what is known publicly: that it was "
        "chosen by looking at the data is not covered by any promise.",
        lowest=1.0,
        highest=2e7,
        example=1000.0,
    ),
]
Most = Annotated[
    int,
    Param(
        label="Cells counted",
        symbol="m",
        unit="cells",
        help="In how many different cells of one step a person (or series) counts at most. More cells need more noise: "
        "this is the sensitivity.",
        lowest=1,
        highest=MOST_SENSITIVE,
        example=1,
    ),
]
STEP = Param(
    label="Time step",
    help="The time between two timestamps: such as 15min, 1h, 1d or 1week. Days and weeks are those of the time zone, "
    "and weeks, also as 7d, begin on Monday; shorter steps begin at 0:00 UTC.",
    example="1h",
)
TIME_ZONE = Param(label="Time zone", help="Of days, weeks, start and end: a name such as Europe/Paris.")
START = Param(
    label="Start",
    help="A date or time in the first step, such as 2024-06-15. Left out, it is taken from the data, which no promise "
    "covers.",
)
END = Param(label="End", help="A date or time in the last step. Left out, it is taken from the data, as the start is.")
UNIT = Param(
    label="What counts once",
    help="The unit of protection. An event: each event adds 1, and one event is protected. A series or a person: it "
    "adds 1 to each cell it visits in a step, at most m, and all its events in any w successive steps are protected "
    "together.",
    options=(
        ("person", "One person in each cell and step"),
        ("series", "One series in each cell and step"),
        ("event", "Every event"),
    ),
)
PICK = Param(
    label="Which cells",
    help="Where a person visits more cells of a step than are counted: the first ones, or those with the most events.",
    options=(("first", "The first ones"), ("frequent", "The most frequent ones")),
)
NEIGHBOURS = Param(
    label="What is hidden",
    help="Presence: whether one was there at all; the sensitivity is m. Changes: also where one was instead, which "
    "takes twice the sensitivity.",
    options=(("presence", "Presence"), ("change", "Presence and changes")),
)


def _step(text: str) -> str:
    step_length(text)
    return text


def _zone(name: str) -> str:
    if name not in zone_names():
        raise broken("must be the name of a time zone such as UTC or Europe/Paris")
    return name


Box = tuple[float, float, float, float]
"""West, south, east and north in degrees."""


class AggregationSpec(Spec):
    """How events become a count stream.

    Parameters
    ----------
    cell_m : float
        The side of a cell in metres in the middle of the box, at most: the box is divided evenly.
    step : str
        The length of a step of time: whole numbers of ``s``, ``min``, ``h``, ``d`` or ``week``, such as 15min or 1d.
        Days and weeks are those of ``time_zone``, and weeks, also as 7d, begin on Monday; shorter steps begin at
        1970-01-01 UTC.
    unit : "person", "series" or "event"
        What counts; no default, since it is what a release protects.
    most : int
        In how many cells of one step a person or series counts at most.
    pick : "first" or "frequent"
        Which cells these are.
    neighbours : "presence" or "change"
        What the sensitivity covers: units added or removed, or also changed.
    box : four floats or None
        West, south, east and north in degrees; events outside are left out. Without it the box follows from the data.
    start, end : str or None
        ISO 8601 dates or times, in ``time_zone`` where they have no offset; the steps that contain them are the first
        and the last. Without them they follow from the data.
    time_zone : str
        A name of the IANA database.
    """

    cell_m: CellM
    step: Annotated[str, AfterValidator(_step), STEP]
    unit: Annotated[Unit, UNIT]
    most: Most = 1
    pick: Annotated[Literal["first", "frequent"], PICK] = "first"
    neighbours: Annotated[Literal["presence", "change"], NEIGHBOURS] = "presence"
    box: Annotated[Box | None, Field(strict=False)] = None
    time_zone: Annotated[str, AfterValidator(_zone), TIME_ZONE] = "UTC"
    start: Annotated[str | None, START] = None
    end: Annotated[str | None, END] = None

    @field_validator("most")
    @classmethod
    def _one_of_events(cls, value: int, info: ValidationInfo) -> int:
        if info.data.get("unit") == "event" and value != 1:
            raise broken("must be 1 where every event counts")
        return value

    @field_validator("neighbours")
    @classmethod
    def _within_the_largest(cls, value: str, info: ValidationInfo) -> str:
        if value == "change" and info.data.get("most", 1) * 2 > MOST_SENSITIVE:
            raise broken(f"must be presence where more than {MOST_SENSITIVE // 2} cells count")
        return value

    @field_validator("box")
    @classmethod
    def _box_of_degrees(cls, value: Box | None) -> Box | None:
        if value is None:
            return None
        west, south, east, north = value
        if not (-90 <= south < north <= 90 and -180 <= west <= 180 and -180 <= east <= 180):
            raise broken("must be west, south, east and north in degrees, south less than north")
        if west >= east:
            raise broken("must have a west less than its east; count the two sides of the antimeridian apart")
        return value

    @field_validator("start", "end")
    @classmethod
    def _instant(cls, value: str | None, info: ValidationInfo) -> str | None:
        zone, start = info.data.get("time_zone"), info.data.get("start")
        if value is None or zone is None:
            return value
        instant = instant_of(value, zone)
        if info.field_name == "end" and start is not None and instant < instant_of(start, zone):
            raise broken("must not be before start")
        return value

    def given_times(self) -> list[tuple[str, str]]:
        """The names and texts of ``start`` and ``end``, of those that are given."""
        return [(name, text) for name, text in (("start", self.start), ("end", self.end)) if text is not None]

    @property
    def changed(self) -> bool:
        """True where the sensitivity covers changes."""
        return self.neighbours == "change"

    @property
    def length(self) -> StepLength:
        """The parsed length of a step."""
        return step_length(self.step)
