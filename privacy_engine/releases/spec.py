"""``ReleaseSpec``: the description of a release. The form fills it, the API carries it, the row stores it, the
worker reads it, the engine runs it, the legend names it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

from pydantic import (
    SerializerFunctionWrapHandler,
    ValidationInfo,
    field_serializer,
    field_validator,
    model_serializer,
    model_validator,
)

from privacy_engine import mechanisms as _families  # noqa: F401  (a spec can name every mechanism, in any process)
from privacy_engine import noise
from privacy_engine.core.params import Seed, Spec, broken
from privacy_engine.core.progress import reported
from privacy_engine.data import LandmarkSet, Release, Trajectory
from privacy_engine.data.counted import Counted
from privacy_engine.data.people import must_pair
from privacy_engine.data.releases import Gathered, Releases
from privacy_engine.data.trajectories import joined_people, labels_of
from privacy_engine.data.units import units_of
from privacy_engine.errors import ParameterError, ParameterErrors
from privacy_engine.mechanisms.base.mechanism import Mechanism, mechanisms
from privacy_engine.postprocess import PostProcess, postprocesses


def parse_steps(description: Any) -> tuple[PostProcess, ...]:
    """The steps a list of ``{name, …parameters}`` describes, in its order.

    Raises
    ------
    ParameterErrors
        With an error for each field at fault, named ``postprocess.0.field``.
    """
    return postprocesses.parse_list(description, field="postprocess")


class ReleaseSpec(Spec):
    """A mechanism with its parameters, steps that follow it, and a seed where the run is an experiment.

    The steps read the release only, so they cost nothing: level and guarantee are the mechanism's.
    ``box_from_data`` states that the box or the number of cells of a public grid was chosen with knowledge of the data.
    Without either the spec is dumped without the key, as it was before there were such.

    A seed makes the run repeatable and therefore never private: such a release has no guarantee. A mechanism that is
    ``unsound`` has none either, so it needs a seed.
    """

    simulated: ClassVar[bool] = False

    mechanism: Any
    seed: Seed | None = None
    postprocess: Any = ()
    box_from_data: bool = False

    @field_validator("mechanism", mode="before")
    @classmethod
    def _registered(cls, value: Any) -> Mechanism:
        return mechanisms.parse(value, field="mechanism")

    @model_validator(mode="after")
    def _sound(self) -> Self:
        reason = self.mechanism.unsound
        if reason and self.seed is None and not self.simulated:
            rule = "is required: this mechanism has no guarantee, and only a simulation may use it"
            raise ParameterErrors([ParameterError(f"seed {rule}: {reason}", field="seed", rule=rule)])
        return self

    @field_serializer("mechanism")
    def _dumped(self, value: Mechanism) -> dict[str, Any]:
        return value.model_dump()

    @field_validator("postprocess", mode="before")
    @classmethod
    def _registered_steps(cls, value: Any) -> tuple[PostProcess, ...]:
        return parse_steps(value)

    @field_validator("postprocess")
    @classmethod
    def _of_the_kind(cls, steps: tuple[PostProcess, ...], info: ValidationInfo) -> tuple[PostProcess, ...]:
        mechanism = info.data.get("mechanism")
        for step in steps:
            if mechanism is not None and step.kind != mechanism.kind:
                raise broken(f"must be steps for the kind {mechanism.kind}")
        return steps

    @field_validator("box_from_data")
    @classmethod
    def _of_a_grid(cls, value: bool, info: ValidationInfo) -> bool:
        mechanism = info.data.get("mechanism")
        if value and mechanism is not None and not mechanism.has_box:
            raise broken("must be false: this mechanism has no box")
        return value

    @field_serializer("postprocess")
    def _dumped_steps(self, value: tuple[PostProcess, ...]) -> list[dict[str, Any]]:
        return [step.model_dump() for step in value]

    @model_serializer(mode="wrap")
    def _without_empty(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        content: dict[str, Any] = dump(self)
        for name in ("postprocess", "box_from_data"):
            if not getattr(self, name):
                content.pop(name, None)
        return content

    def checked(self, kind: str) -> Self:
        """The spec itself.

        Raises
        ------
        ParameterErrors
            Its mechanism is for another ``kind`` of data.
        """
        name, other = self.mechanism.name, self.mechanism.kind
        if other == kind:
            return self
        rule = f"a mechanism for the kind {kind}"
        message = f"mechanism must be {rule}, got {name}, which is for the kind {other}"
        raise ParameterErrors([ParameterError(message, field="mechanism.name", rule=rule, value=name)])

    @property
    def private(self) -> bool:
        """True if a release of this spec may carry its mechanism's guarantee."""
        return self.seed is None and not self.mechanism.unsound

    @property
    def title(self) -> str:
        """What a legend calls a release of this spec: the mechanism, its variant and the steps after it."""
        variant = f" ({self.mechanism.variant})" if self.mechanism.variant else ""
        return " + ".join([f"{self.mechanism.title}{variant}", *(step.legend() for step in self.postprocess)])

    def release(
        self,
        series: Sequence[Trajectory],
        landmarks: Sequence[LandmarkSet],
        *,
        watch: Callable[[float], None] | None = None,
        first_unit: int = 0,
    ) -> Sequence[Release]:
        """A release of each series; those of many events lie in a file.

        Each person's series (:mod:`privacy_engine.data.people`) are released together, in the order of time and under
        the same budget, and cut apart afterwards. ``watch(share)`` is called with the share of events done, and may
        raise to stop. Every unit (:mod:`privacy_engine.data.units`) draws from a stream of the seed of its own, so that
        the series of a dataset from its unit ``first_unit`` on are released as they are with those before them.

        Raises
        ------
        DataError
            There is not a landmark set for each series, over its events.
        """
        must_pair(series, landmarks)
        masks = [marks.mask for marks in landmarks]
        done, total = 0, max(sum(map(len, masks)), 1)
        gathered, units = Gathered(series), units_of(labels_of(series)[1], [len(mask) for mask in masks])
        sources = [self._source(first_unit + i) for i in range(len(units))]
        for some in reported(joined_people(series, units=units)):
            events, source = len(some.people.lon), sources[some.unit]
            rng = source if watch is None else noise.watched(source, _scaled(watch, done, events, total))
            drawn = self.mechanism.release_each(some.people, some.column(masks), rng=rng)
            if self.postprocess:
                drawn = Releases.of(some.people, (processed(release, self.postprocess) for release in drawn))
            gathered.add(some, drawn)
            done += events
        return gathered.releases()

    def _source(self, unit: int) -> noise.RandomSource:
        """The first unit's is that of releases of before there were units."""
        return noise.source(self.seed, stream=noise.Stream.UNITS if unit else None, part=unit)

    def then(self, steps: Sequence[PostProcess]) -> Self:
        """The same with ``steps`` after those it has.

        Raises
        ------
        ParameterErrors
            They are more than :data:`~privacy_engine.registry.MAX_STEPS` together.
        """
        return self.parse(self.model_dump() | {"postprocess": [*self.postprocess, *steps]})


class SimulatedSpec(ReleaseSpec):
    """A :class:`ReleaseSpec` that only experiments run, whose noise is simulated: it may be of any mechanism."""

    simulated: ClassVar[bool] = True


def _scaled(watch: Callable[[float], None], done: int, events: int, total: int) -> Callable[[float], None]:
    """``watch`` for a share of some people's ``events``, as a share of all."""
    return lambda share: watch((done + share * events) / total)


def processed(release: Release, steps: Sequence[PostProcess]) -> Release:
    """A release after ``steps``: they read the release alone, so nothing more is spent."""
    for step in reported(steps):
        release = step.apply(release)
    return release


def for_counts(spec: ReleaseSpec, counted: Counted | None, tree: Mapping[str, str]) -> ReleaseSpec:
    """A spec with its mechanism :meth:`for_counts <privacy_engine.mechanisms.base.mechanism.Mechanism.for_counts>`."""
    return spec.model_copy(update={"mechanism": spec.mechanism.for_counts(counted, tree)})
