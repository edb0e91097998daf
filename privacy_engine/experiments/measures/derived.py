"""Every metric, and every headline of every attack, as a measure: what is registered there can be measured here."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, cast

import numpy as np
from pydantic import create_model

from privacy_engine.attacks import Attack, Headline, PopulationAttack, Result, SeriesAttack, attacks
from privacy_engine.core.arrays import Floats
from privacy_engine.core.progress import reported
from privacy_engine.evaluation import Evaluation
from privacy_engine.experiments.measures.base import Measure, Work, each, measures, over_series, releasing
from privacy_engine.experiments.trials import Trials
from privacy_engine.metrics import CheckInMetric, MeanAbsoluteError, Metric, TrajectoryMetric, metrics
from privacy_engine.registry import Registry

SAME_AS_ERROR = MeanAbsoluteError


class MetricMeasure(TrajectoryMetric, Measure):
    """Base: the mean over series of a metric of their releases, steps included."""

    owner_only: ClassVar[bool] = True
    needs_release: ClassVar[bool] = True

    def values(self, trials: Trials) -> Floats:
        return each(
            trials,
            lambda repetition: [
                self.of(*pair) if len(pair[0]) else np.nan
                for pair in zip(trials.series, trials.releases(repetition), strict=True)
            ],
        )

    def work(self, cell: Any, lengths: Sequence[int], repetitions: int) -> Work:
        own = repetitions * sum(self.seconds_once(events) for events in lengths)
        return releasing(cell, lengths, repetitions) | {self.model_dump_json(): own}


class ReleaseMeasure(Metric, Measure):
    """Base: a metric of the release of a count stream or of check-ins."""

    owner_only: ClassVar[bool] = True
    needs_release: ClassVar[bool] = True

    def values(self, trials: Any) -> Floats:
        return np.array([self.of_trial(trial) for trial in trials.each()], dtype=np.float64)

    def of_trial(self, trial: Any) -> float:
        """Its value in a repetition."""
        return self.of(trial.truth, trial.release)


class CheckInMeasure(CheckInMetric, ReleaseMeasure):
    """Base: a metric of a model of check-ins, of those it was fitted to or of those of other users."""

    def of_trial(self, trial: Evaluation) -> float:
        return self.over(trial)


class AttackMeasure(Attack, Measure):
    """Base: one number of an attack's result; headlines of one attack with the same parameters share its run."""

    owner_only: ClassVar[bool] = True
    needs_release: ClassVar[bool] = True
    attack: ClassVar[str]
    headline: ClassVar[Headline]

    def values(self, trials: Trials) -> Floats:
        runs = trials.once(self._once, lambda: [self._results(trials, i) for i in reported(trials.which)])
        series = len(runs[0]) if runs else 0
        by_series = [np.array([self._headline(results[i]) for results in runs]) for i in range(series)]
        return over_series(by_series, len(trials.which))

    def work(self, cell: Any, lengths: Sequence[int], repetitions: int) -> Work:
        work = releasing(cell, lengths, repetitions, steps=not self.reads_draws)
        return work | {self._once: repetitions * self.seconds_once(lengths)}

    @property
    def _once(self) -> str:
        return f"{self.attack} {self.model_dump_json(exclude={'name'})}"

    def _headline(self, result: Result | None) -> float:
        return np.nan if result is None else float(self.headline.of(result))

    def _results(self, trials: Trials, repetition: int) -> list[Result | None]:
        """What the attack comes to in a repetition: of each series, or of all; None where there is nothing."""
        raise NotImplementedError


class _OfSeries(SeriesAttack, AttackMeasure):
    def _results(self, trials: Trials, repetition: int) -> list[Result | None]:
        releases = trials.draws(repetition) if self.reads_draws else trials.releases(repetition)
        triples = zip(trials.series, releases, trials.shared(repetition), strict=True)
        return [self.run(track, release, shared=shared) if len(track) else None for track, release, shared in triples]


class _OfPopulation(PopulationAttack, AttackMeasure):
    def _results(self, trials: Trials, repetition: int) -> list[Result | None]:
        releases = trials.draws(repetition) if self.reads_draws else trials.releases(repetition)
        pairs = [pair for pair in zip(trials.series, releases, strict=True) if len(pair[0])]
        return [self.run(*map(list, zip(*pairs, strict=True))) if pairs else None]


def _of_metric(cls: type[Metric]) -> type[Measure]:
    bases = ((TrajectoryMetric, MetricMeasure), (CheckInMetric, CheckInMeasure), (Metric, ReleaseMeasure))
    base = next(measure for metric, measure in bases if issubclass(cls, metric))
    return cast(type[Measure], create_model(cls.__name__, __base__=(cls, base), __doc__=cls.documentation()))


def _of_attack(cls: type[Attack], headline: Headline) -> type[Measure]:
    base = _OfPopulation if issubclass(cls, PopulationAttack) else _OfSeries
    name: Any = (Literal[headline.name], headline.name)
    made = create_model(cls.__name__, __base__=(cls, base), __doc__=cls.documentation(), name=name)
    measure = cast(type[AttackMeasure], made)
    measure.attack, measure.headline, measure.unit = cls.registered_name(), headline, headline.unit
    mark = f" ({cls.origin.mark})" if cls.origin else ""
    measure.title, measure.short, measure.summary = headline.title + mark, "", headline.summary
    return measure


def _derive() -> None:
    """Cairn's own first, so that no name of another package is before one of them."""
    registries: tuple[Registry[Any], ...] = (metrics, attacks)
    listed = [(registry, cls) for registry in registries for cls in registry]
    for registry, cls in sorted(listed, key=lambda pair: pair[1].origin is not None):
        if cls is not SAME_AS_ERROR:
            _register(registry, cls)


def _register(registry: Registry[Any], cls: Any) -> None:
    """Register the measures of a metric or an attack; one of another package that cannot be measured is refused."""
    try:
        made = [_of_attack(cls, one) for one in cls.headlines] if issubclass(cls, Attack) else [_of_metric(cls)]
        for measure in made:
            measure.__reduce__ = Measure.__reduce__  # type: ignore[method-assign]  # not that of a plugin's class
            measures.register(measure)
    except Exception as error:
        if cls.origin is None:
            raise
        registry.refuse(cls, f"cannot be measured in experiments: {error}")


measures.at_first_use(_derive)
