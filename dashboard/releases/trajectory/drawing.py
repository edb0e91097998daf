"""How releases of trajectories are drawn: for each person, with their landmarks, or from another release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dashboard.jobs import leases
from dashboard.landmarks.inputs import TrajectoryInputs
from dashboard.landmarks.promise import promise_context
from dashboard.releases.common.drawing import Drawing
from dashboard.releases.models import Release
from dashboard.releases.trajectory import charts, derivation, explain
from dashboard.storage.data_files import read_data
from privacy_engine import data
from privacy_engine.accounting.promise import ONE_SERIES, Context
from privacy_engine.analysis.forecast import overall_noise
from privacy_engine.data.people import most_landmarks
from privacy_engine.data.releases import releases_of
from privacy_engine.data.trajectories import EVENTS
from privacy_engine.datatypes import datatypes
from privacy_engine.releases.inputs import ReleaseInputs

FEW = 8  # distinct budgets that a summary lists individually


class TrajectoryDrawing(Drawing):
    """Landmarks are those of the set that the mechanism reads."""

    def load(self, row: Release) -> TrajectoryInputs:
        return TrajectoryInputs(row.dataset, row.set_read, read_data)

    def draw(self, row: Release, inputs: ReleaseInputs[Any], lease: leases.Lease) -> Any:
        return derivation.derived(row, lease) if row.source else super().draw(row, inputs, lease)

    def summary(self, row: Release, inputs: ReleaseInputs[Any], drawn: Sequence[data.Release]) -> dict[str, Any]:
        """It follows from mechanism, landmarks it reads, and points."""
        context = datatypes[row.kind].drawn_context(row.parsed_spec, inputs, drawn)
        read, published, fresh = row.set_read, 0, 0
        ends, events = list[float](), Counter[float]()
        for _, _, part in releases_of(drawn).cut(EVENTS):
            published += int(part.sizes.sum())
            fresh += int(np.count_nonzero(part.fresh))
            values, counts = (of.tolist() for of in np.unique(part.budgets, return_counts=True))
            ends += values[:1] + values[-1:]
            if len(events) <= FEW:
                events.update(dict(zip(values[: FEW + 1], counts, strict=False)))
        listed = [{"budget": value, "events": events[value]} for value in sorted(events)]
        return {
            "series": len(drawn),
            "landmarks": read.count if read else 0,
            "people": len(inputs.people),
            "landmarks_per_person": most_landmarks(inputs.masks),
            "noise_p95_m": context.noise_p95_m,
            "whole_trace": context.whole_trace,
            "published": published,
            "drawn": fresh,
            "budgets": {"min": min(ends), "max": max(ends), "distinct": listed if len(listed) <= FEW else None},
        }

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


ADAPTER = TrajectoryDrawing()
