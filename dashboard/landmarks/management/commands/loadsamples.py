"""``manage.py loadsamples USER``: generated samples to try Cairn with."""

import csv
import io
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management.base import BaseCommand, CommandParser

from dashboard.accounts.selectors import user_named
from dashboard.datasets import services
from dashboard.datasets.models import Dataset
from dashboard.landmarks.services import mark_landmarks
from privacy_engine.instants import instant
from privacy_engine.samples import Sample, samples

KNOWN = {"id": "series", "swap": "no"}  # stated, so that the report has nothing to guess


class Command(BaseCommand):
    """Uploads each sample that USER does not have yet and marks its landmarks."""

    help = "Give USER the generated samples with their landmark sets; those already there are left alone."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user")

    def handle(self, *args: Any, **options: Any) -> None:
        owner = user_named(options["user"])
        for sample in samples():
            if not Dataset.objects.filter(owner=owner, sample=True, name=sample.title).exists():
                dataset = services.import_dataset(
                    owner=owner, upload=as_csv(sample), name=sample.title, options=KNOWN, sample=True
                )
                mark_landmarks(owner=owner, dataset=dataset, method=sample.landmarks.model_dump())
                self.stdout.write(f"{sample.title}: {dataset.points} events")


def as_csv(sample: Sample) -> SimpleUploadedFile:
    """The sample as a user would upload it."""
    series, text = sample.series, io.StringIO()
    times = [] if series.time_s is None else [instant(t) for t in series.time_s]
    rows = zip([series.name] * len(series), times, series.lon, series.lat, strict=True)
    csv.writer(text).writerows([("series", "time", "lon", "lat"), *rows])
    return SimpleUploadedFile(f"{series.name}.csv", text.getvalue().encode(), "text/csv")
