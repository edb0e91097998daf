"""A worker's work on an attack; no Celery in here."""

import uuid
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from dashboard.attacks import files
from dashboard.attacks.models import Attack, AttackPart
from dashboard.core.database_errors import patiently
from dashboard.datasets.people import mask_of_person
from dashboard.jobs import leases, parts
from dashboard.jobs.parts import Piece
from dashboard.landmarks.promise import mask_of
from dashboard.releases.files import people_of_release, read_releases
from dashboard.storage import part_files
from dashboard.storage.data_files import read_data
from privacy_engine import __version__, attacks
from privacy_engine.attacks import PopulationAttack, Result, SeriesAttack, Watch
from privacy_engine.core.arrays import Mask
from privacy_engine.data import Release, Trajectory
from privacy_engine.data.people import Person

READ, FOUND = 0.05, 0.95  # the share of the work that is over after each stage
LEAST_S = 4.0
"""Predicted work of a part, at least: each reads all events, and finds what is known of every person."""


def run(pk: Any) -> bool:
    """Work off an attack, and leave no file of an attempt that came to nothing; False if it did not wait."""
    if draft := leases.run(Attack, pk, _claimed):
        patiently(lambda: files.clear_after(draft))
    return draft is not None


def run_part(pk: Any) -> bool:
    """Work off a part of an attack on all people; False if it did not wait."""
    return parts.run_part(AttackPart, pk, _part, part_files.clear_part)


def _claimed(row: Attack, lease: leases.Lease) -> dict[str, Any]:
    return attacked(row, lease.token, lease.report, partial(_in_parts, row, lease, pieces_of(row)))


def pieces_of(row: Attack) -> list[Piece]:
    """Ranges of the people whose releases are tried; none where it is attacked at once."""
    count = int(row.work_s // LEAST_S) if row.parsed.population else 0
    if count < 2:
        return []
    edges = np.linspace(0, len(people_of_release(row.release)), count + 1).astype(int).tolist()
    return [Piece(float(stop - start), {"start": start, "stop": stop}) for start, stop in pairwise(edges)]


def _in_parts(row: Attack, lease: leases.Lease, pieces: Sequence[Piece]) -> Result | None:
    if not pieces:
        return None
    attack, report = row.parsed, lease.reporting(f"Attacking in {len(pieces)} parts", READ, FOUND)
    assert isinstance(attack, PopulationAttack)
    made = part_files.results(row, lease, "attack", pieces, run=run_part, report=report)
    return attack.joined([part["counts"] for part in made])


def _part(part: AttackPart, lease: leases.Lease) -> dict[str, str]:
    attack, some = part.job.parsed, range(part.given["start"], part.given["stop"])
    assert isinstance(attack, PopulationAttack)
    counts = attack.part(*_everyone(part.job), some, watch=lease.reporting("Attacking"))
    return part_files.store(part, lease, {"counts": counts})


def attacked(
    row: Attack,
    token: uuid.UUID,
    report: Callable[[str, float], None],
    in_parts: Callable[[], Result | None] = lambda: None,
) -> dict[str, Any]:
    """Read, attack, write under a name that carries ``token``; returns what the row stores as it succeeds.

    ``in_parts()`` returns the result, or None where all is to be done here.

    Raises
    ------
    EngineError
        The points lack what the attack needs, or the work would pass its stated limit.
    """
    row.data_file = f"{token.hex}.parquet"
    report("Reading", 0.0)
    attack = row.parsed
    result = in_parts() or _at_once(row, attack, lambda share: report("Attacking", READ + (FOUND - READ) * share))
    report("Writing", FOUND)
    digest = files.write(row, result)
    headlines = {headline.name: _number(headline.of(result)) for headline in attack.headlines}
    summary = {"sentence": result.sentence, "headlines": headlines}
    return {"data_file": row.data_file, "data_sha256": digest, "summary": summary, "engine_version": __version__}


def _at_once(row: Attack, attack: attacks.Attack, watch: Watch) -> Result:
    if isinstance(attack, PopulationAttack):
        result: Result = attack.run(*_everyone(row), watch=watch)
        return result
    assert isinstance(attack, SeriesAttack)
    dataset, persons = row.release.dataset, people_of_release(row.release)
    person = next(candidate for candidate in persons if (row.series or 0) in candidate.members)
    truth = person.joined(read_data(dataset.kind, dataset.points_path))
    release = person.joined_release(read_releases(row.release))
    watch(0.0)
    return attack.run(truth, release, shared=together(row, person, release), watch=watch)


def _everyone(row: Attack) -> tuple[list[Trajectory], list[Release]]:
    dataset, persons = row.release.dataset, people_of_release(row.release)
    series, released = read_data(dataset.kind, dataset.points_path), read_releases(row.release)
    return [person.joined(series) for person in persons], [person.joined_release(released) for person in persons]


def together(row: Attack, person: Person, release: Release) -> Mask:
    """Which draws of a person's release are of a joint draw of noise, (n,)."""
    dataset = row.release.dataset
    marked = mask_of_person(dataset, mask_of(dataset, row.release.set_read), person)
    return row.release.parsed_spec.mechanism.drawn_together(marked, release.fresh)


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None
