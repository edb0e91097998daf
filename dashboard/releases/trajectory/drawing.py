"""How releases of trajectories are drawn: for each person, with their landmarks, or from another release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dashboard.core.errors import Conflict
from dashboard.jobs import leases
from dashboard.jobs.parts import Piece
from dashboard.landmarks.inputs import TrajectoryInputs
from dashboard.landmarks.promise import promise_context
from dashboard.releases import files
from dashboard.releases.common.drawing import DRAWN, Drawing, Made
from dashboard.releases.models import Release, ReleasePart
from dashboard.releases.trajectory import charts, explain, parts
from dashboard.storage.data_files import read_data
from privacy_engine import data
from privacy_engine.accounting.promise import ONE_SERIES, Context
from privacy_engine.analysis.forecast import overall_noise
from privacy_engine.core.progress import reported
from privacy_engine.data.people import most_landmarks
from privacy_engine.data.releases import releases_of
from privacy_engine.datatypes import datatypes
from privacy_engine.datatypes.trajectory import with_noise
from privacy_engine.releases.inputs import ReleaseInputs
from privacy_engine.releases.spec import processed


def derived(row: Release, lease: leases.Lease) -> Sequence[data.Release]:
    """The source's releases after the steps that ``row`` adds, a release for each series.

    Raises
    ------
    Conflict
        The source is discarded.
    """
    source = _source(row)
    steps = row.steps_after(source)
    try:
        made = list(files.read_releases(source))
    except FileNotFoundError:  # discarded after its row was read and before its files were
        raise _gone() from None
    persons = files.people_of_release(source)
    names = [part.series.name for part in made]
    for i, person in enumerate(reported(persons)):
        stage = "Smoothing" if len(persons) == 1 else f"Smoothing person {i + 1} of {len(persons)}"
        lease.report(stage, DRAWN * i / len(persons))
        after = processed(person.joined_release(made), steps)
        for series, release in zip(person.members, person.cut(after, names), strict=True):
            made[series] = release
    return releases_of(made)


def _source(row: Release) -> Release:
    if row.derived_from is None:
        raise _gone()
    return row.derived_from


def _gone() -> Conflict:
    return Conflict(
        "The release that this one was to be made from is discarded.",
        code="source-gone",
        field="derived_from",
        rule="a release that is there",
    )


class TrajectoryDrawing(Drawing):
    """Landmarks are those of the set that the mechanism reads."""

    def load(self, row: Release) -> TrajectoryInputs:
        return TrajectoryInputs(row.dataset, row.set_read, read_data)

    def draw(self, row: Release, inputs: ReleaseInputs[Any], lease: leases.Lease) -> Any:
        return derived(row, lease) if row.source else super().draw(row, inputs, lease)

    def pieces(self, row: Release) -> Sequence[Piece]:
        """Of one made from another none: what that published is read whole."""
        return [] if row.source else parts.pieces_of(row)

    def draw_parts(self, row: Release, lease: leases.Lease, pieces: Sequence[Piece], run: Any) -> Made:
        drawn = parts.released(row, lease, pieces, run)
        inputs = self.load(row)
        context = with_noise(row.parsed_spec, inputs, drawn["whole_trace"])
        summary = _summary(row, inputs, context, drawn["counts"])
        return Made(drawn["sha256"], summary, drawn["figures"], self.beside_figures(row, inputs))

    def work_part(self, part: ReleasePart, lease: leases.Lease) -> Any:
        return parts.work(part, lease)

    def summary(self, row: Release, inputs: ReleaseInputs[Any], drawn: Sequence[data.Release]) -> dict[str, Any]:
        """It follows from mechanism, landmarks it reads, and points."""
        context = datatypes[row.kind].drawn_context(row.parsed_spec, inputs, drawn)
        return _summary(row, inputs, context, parts.joined_counts([parts.counts_of(drawn)]))

    def beside_figures(self, row: Release, inputs: Any) -> dict[str, float]:
        """Half of the noise is at most ``noise_m``, where that is known."""
        inputs.record_scale()
        noise = overall_noise(row.parsed_spec.mechanism, inputs)
        return {"noise_m": noise.median_m} if noise and noise.median_m else {}

    def prepare(self, row: Release) -> None:
        charts.prepare(row)
        explain.prepare(row)

    def context(self, row: Release) -> Context:
        """One drawn before people were known is about each of its series."""
        summary, read = row.summary or {}, row.set_read
        landmarks = summary.get("landmarks_per_person")
        context = (
            TrajectoryInputs(row.dataset, read).context
            if landmarks is None
            else promise_context(row.dataset, read, landmarks=landmarks)
        )
        if row.by_series:
            return replace(context, unit=ONE_SERIES, landmarks=read.count if read else 0)
        return replace(
            context,
            whole_trace=summary.get("whole_trace"),
            noise_p95_m=summary.get("noise_p95_m"),
            repeats=explain.repeats_of(row) > 0 if summary else None,
        )

    def charged_context(self, row: Release) -> Context:
        return promise_context(row.dataset, row.set_read, landmarks=0)


def _summary(row: Release, inputs: ReleaseInputs[Any], context: Context, counts: dict[str, Any]) -> dict[str, Any]:
    read = row.set_read
    return {
        "series": row.dataset.series_count,
        "landmarks": read.count if read else 0,
        "people": len(inputs.people),
        "landmarks_per_person": most_landmarks(inputs.masks),
        "noise_p95_m": context.noise_p95_m,
        "whole_trace": context.whole_trace,
        **counts,
    }


ADAPTER = TrajectoryDrawing()
