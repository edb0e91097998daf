"""The generated samples with their landmark sets, as datasets of a user."""

import csv
import io

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
    found = []
    for sample in samples():
        if not Dataset.objects.filter(owner=owner, sample=True, name=sample.title).exists():
            dataset = services.import_dataset(
                owner=owner, upload=as_csv(sample), name=sample.title, options=KNOWN, sample=True, queued=queued
            )
            if not queued:
                _mark(dataset, sample)
            found.append(dataset)
    return found


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
    series, text = sample.series, io.StringIO()
    times = [] if series.time_s is None else [instant(t) for t in series.time_s]
    rows = zip([series.name] * len(series), times, series.lon, series.lat, strict=True)
    csv.writer(text).writerows([("series", "time", "lon", "lat"), *rows])
    return SimpleUploadedFile(f"{series.name}.csv", text.getvalue().encode(), "text/csv")
