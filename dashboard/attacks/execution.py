"""A worker's work on an attack; no Celery in here."""

import uuid
from collections.abc import Callable
from typing import Any

import numpy as np

from dashboard.attacks import files
from dashboard.attacks.models import Attack
from dashboard.core.database_errors import patiently
from dashboard.datasets.people import mask_of_person
from dashboard.jobs import leases
from dashboard.landmarks.promise import mask_of
from dashboard.releases.files import people_of_release, read_releases
from dashboard.storage.data_files import read_data
from privacy_engine import __version__
from privacy_engine.attacks import PopulationAttack, Result, SeriesAttack, Watch
from privacy_engine.core.arrays import Mask
from privacy_engine.data import Release, Trajectory
from privacy_engine.data.people import Person

READ, FOUND = 0.05, 0.95  # the share of the work that is over after each stage


def run(pk: Any) -> bool:
    """Work off an attack, and leave no file of an attempt that came to nothing; False if it did not wait."""
    if draft := leases.run(Attack, pk, lambda row, lease: attacked(row, lease.token, lease.report)):
        patiently(lambda: files.clear_after(draft))
    return draft is not None


def attacked(row: Attack, token: uuid.UUID, report: Callable[[str, float], None]) -> dict[str, Any]:
    """Read, attack, write under a name that carries ``token``; returns what the row stores as it succeeds.

    Raises
    ------
    EngineError
        The points lack what the attack needs, or the work would pass its stated limit.
    """
    row.data_file = f"{token.hex}.parquet"
    report("Reading", 0.0)
    attack = row.parsed
    dataset, persons = row.release.dataset, people_of_release(row.release)
    series = read_data(dataset.kind, dataset.points_path)
    parts = read_releases(row.release)

    def watch(share: float) -> None:
        report("Attacking", READ + (FOUND - READ) * share)

    watch(0.0)
    if isinstance(attack, PopulationAttack):
        truths = [person.joined(series) for person in persons]
        result: Result = attack.run(truths, [person.joined_release(parts) for person in persons], watch=watch)
    else:
        person = next(candidate for candidate in persons if (row.series or 0) in candidate.members)
        result = _of_one(row, attack, person, person.joined(series), person.joined_release(parts), watch)
    report("Writing", FOUND)
    digest = files.write(row, result)
    headlines = {headline.name: _number(headline.of(result)) for headline in attack.headlines}
    summary = {"sentence": result.sentence, "headlines": headlines}
    return {"data_file": row.data_file, "data_sha256": digest, "summary": summary, "engine_version": __version__}


def _of_one(row: Attack, attack: Any, person: Person, truth: Trajectory, release: Release, watch: Watch) -> Result:
    assert isinstance(attack, SeriesAttack)
    shared = together(row, person, release)
    return attack.run(truth, release, shared=shared, watch=watch)


def together(row: Attack, person: Person, release: Release) -> Mask:
    """Which draws of a person's release are of a joint draw of noise, (n,)."""
    dataset = row.release.dataset
    marked = mask_of_person(dataset, mask_of(dataset, row.release.set_read), person)
    return row.release.parsed_spec.mechanism.drawn_together(marked, release.fresh)


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None
