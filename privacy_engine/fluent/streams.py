"""Count streams in a notebook."""

from __future__ import annotations

from typing import Any

from privacy_engine.core.optional import required
from privacy_engine.data import CountStream
from privacy_engine.datatypes.labelled_release import release_other
from privacy_engine.fluent.base import Original, Released
from privacy_engine.fluent.drawing import count_line
from privacy_engine.fluent.plotting import plot_counts
from privacy_engine.formats import Report


class CountData(Original):
    """Counts of some dimensions at timestamps."""

    kind = CountStream.kind

    def __init__(self, stream: CountStream, report: Report | None = None) -> None:
        super().__init__(report)
        self.stream = stream

    @property
    def data(self) -> CountStream:
        return self.stream

    def publish(self, mechanism: str, *, seed: int | None = None, **parameters: Any) -> CountRelease:
        """A release of all timestamps by a registered mechanism (``pe.catalogue("stream")``) with its ``parameters``.

        With ``seed`` it can be repeated, and is a simulation. Of counts that Cairn made of events, the sensitivity
        follows from how it counted.

        Raises
        ------
        ParameterErrors
            One for each parameter that is missing, unknown, or outside its domain.
        """
        return CountRelease(
            release_other(self.spec(mechanism, seed, (), parameters), self.stream, decisions=self.decisions), self
        )

    release = publish

    def to_dataframe(self) -> Any:
        """A row for each timestamp and a column for each dimension as a pandas.DataFrame; raw data."""
        pandas = required("pandas", "to_dataframe()")
        frame = pandas.DataFrame(self.stream.counts, columns=list(self.stream.names))
        frame.index = pandas.Index(list(self.stream.labels), name=self.stream.time_name)
        return frame

    def plot(self, ax: Any = None) -> Any:
        """Draw the counts by matplotlib, and return the axes; MissingPackage without it."""
        return plot_counts(self.stream, ax=ax)

    def _facts(self) -> list[tuple[str, str]]:
        facts = self.facts
        return [("dimensions", f"{len(facts.dimensions):,}"), ("time", f"{facts.start} to {facts.end}")]

    def _drawing(self) -> str:
        return count_line(self.stream)


class CountRelease(Released):
    """Published counts."""

    _original: CountData

    def plot(self, ax: Any = None, *, original: bool = False) -> Any:
        """Draw the published counts by matplotlib, and return the axes; ``original`` draws it below, for its owner."""
        if original:
            ax = plot_counts(self._original.stream, ax=ax, faint=True)
        return plot_counts(self.made.published, ax=ax)

    def _drawing(self) -> str:
        return count_line(self.made.published)


ADAPTER = CountData
