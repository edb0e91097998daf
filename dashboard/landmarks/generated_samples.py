"""The generated samples as datasets of a user: trajectories with their landmark sets, counts and check-ins."""

import csv
import io
from collections.abc import Iterable, Sequence

from django.core.files.uploadedfile import SimpleUploadedFile

from dashboard.accounts.models import User
from dashboard.core.computing import computed
from dashboard.datasets import services
from dashboard.datasets.models import Dataset
from dashboard.landmarks.services import mark_landmarks
from privacy_engine.core.instants import instant
from privacy_engine.landmarks.samples import Sample, samples

KNOWN = {"id": "series", "swap": "no"}  # stated, so that the report has nothing to guess


@computed
def load_samples(*, owner: User, queued: bool = False) -> list[Dataset]:
    """Upload each sample that the owner does not have, with its landmark set; return the new datasets.

    With ``queued`` a worker reads them, and marks their landmarks then.
    """
    return [*load_trajectories(owner=owner, queued=queued), *load_tables(owner=owner, queued=queued)]


def load_trajectories(*, owner: User, queued: bool = False) -> list[Dataset]:
    """The same of the samples that can have landmarks."""
    datasets = []
    for sample in samples():
        if _lacks(owner, sample.title):
            dataset = services.import_dataset(
                owner=owner, upload=as_csv(sample), name=sample.title, options=KNOWN, sample=True, queued=queued
            )
            if not queued:
                _mark(dataset, sample)
            datasets.append(dataset)
    return datasets


def load_tables(*, owner: User, queued: bool = False) -> list[Dataset]:
    """The same of the samples of counts and of check-ins."""
    from privacy_engine.experiments.samples import table_samples  # not before the first page of a first start

    return [
        services.import_dataset(
            owner=owner,
            upload=_csv(sample.file_name, sample.rows()),
            name=sample.title,
            kind=sample.kind,
            sample=True,
            queued=queued,
        )
        for sample in table_samples()
        if _lacks(owner, sample.title)
    ]


def _lacks(owner: User, title: str) -> bool:
    return not Dataset.objects.filter(owner=owner, sample=True, name=title).exists()


def mark_when_read(dataset: Dataset, **_: object) -> None:
    """Mark the landmarks of a sample that a worker has read. A receiver of a signal."""
    if dataset.sample and not dataset.landmark_sets.exists():
        for sample in samples():
            if sample.title == dataset.name:
                _mark(dataset, sample)


def _mark(dataset: Dataset, sample: Sample) -> None:
    mark_landmarks(owner=dataset.owner, dataset=dataset, method=sample.landmarks.model_dump())


def as_csv(sample: Sample) -> SimpleUploadedFile:
    """Return the sample as a user would upload it."""
    series = sample.series
    times = [] if series.time_s is None else [instant(t) for t in series.time_s]
    rows = zip([series.name] * len(series), times, series.lon, series.lat, strict=True)
    return _csv(f"{series.name}.csv", [("series", "time", "lon", "lat"), *rows])


def _csv(name: str, rows: Iterable[Sequence[object]]) -> SimpleUploadedFile:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return SimpleUploadedFile(name, text.getvalue().encode(), "text/csv")
