"""Hashes of uploads from before events were counted: read again from what is stored, source file by source file.

The sweep requests a file in each round (:func:`request_next`), a worker computes them (:func:`add_hashes`). What was
killed is begun again after an hour; a file is given up after three attempts, and then counts by its sketches.
"""

import logging
from datetime import timedelta

from celery import current_app
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from kombu.exceptions import OperationalError

from dashboard.datasets import execution, lineage, matching
from dashboard.datasets.evidence import Evidence, evidence_of
from dashboard.datasets.models import Dataset, SourceFile
from dashboard.jobs.models import State
from dashboard.storage.data_files import read_data
from privacy_engine.errors import EngineError

logger = logging.getLogger(__name__)

TASK = "datasets.add_hashes"
MOST_ATTEMPTS = 3
BEGUN_AGAIN = timedelta(hours=1)
"""Twice the longest job."""


def _waiting() -> QuerySet[SourceFile]:
    """Source files with a reading whose hashes are missing, and with a dataset to compute them from."""
    ready = Dataset.objects.filter(state=State.READY, aggregation__isnull=True, stay_detection__isnull=True)
    without = SourceFile.objects.filter(sketches__isnull=False, sketches__reading=None, datasets__in=ready)
    return without.filter(hashing_attempts__lt=MOST_ATTEMPTS).distinct()


def _unclaimed(files: QuerySet[SourceFile]) -> QuerySet[SourceFile]:
    return files.filter(Q(hashing_at=None) | Q(hashing_at__lt=timezone.now() - BEGUN_AGAIN))


def next_file() -> int | None:
    """The source file whose hashes are to be computed next; None while a worker computes some, and after the last."""
    waiting = _waiting()
    if waiting.filter(hashing_at__gte=timezone.now() - BEGUN_AGAIN).exists():
        return None
    return _unclaimed(waiting).order_by("pk").values_list("pk", flat=True).first()


def request_next() -> None:
    """Send a message for the next file, if no worker computes any. A broker that is away is tried again later."""
    source_file = next_file()
    if source_file is not None:
        try:
            current_app.send_task(TASK, (source_file,), queue="batch")
        except (OperationalError, OSError) as error:
            logger.warning("hashes of earlier uploads wait: %s", type(error).__name__)


def add_hashes(source_file: int) -> bool:
    """Compute the hashes of a source file's readings, and compare them; False if another worker does, or has.

    The readings are then compared by event, as those of new uploads are. Uploads may turn out to share more events
    than was known, never fewer: what a lineage spent before counts for all of its events.
    """
    claimed = _unclaimed(SourceFile.objects.filter(pk=source_file, hashing_attempts__lt=MOST_ATTEMPTS))
    if not claimed.update(hashing_at=timezone.now(), hashing_attempts=F("hashing_attempts") + 1):
        return False
    file = SourceFile.objects.get(pk=source_file)
    rows = file.datasets.filter(state=State.READY, aggregation__isnull=True, stay_detection__isnull=True).order_by(
        "created_at", "pk"
    )
    for row in rows:
        evidence = _evidence(row, file)
        if evidence is None:
            continue
        matching.prepare(file.owner_id, evidence)
        with transaction.atomic():
            lineage.lock_owner(file.owner_id)
            fresh = SourceFile.objects.filter(pk=source_file, owner=file.owner_id).first()
            if fresh is not None:
                lineage.register_reading(fresh, evidence)
    SourceFile.objects.filter(pk=source_file).update(hashing_at=None, hashing_attempts=MOST_ATTEMPTS)  # done
    return True


def _evidence(row: Dataset, file: SourceFile) -> Evidence | None:
    """The evidence of a dataset's original, or of its points if they are what was read; None if neither is left."""
    evidence = None
    try:
        if row.original_path.exists():
            evidence = execution.read(
                row.original_path, name=row.file_name, options=row.options, cleaning=row.cleaning, kind=row.kind
            ).evidence
        elif not row.cleaning:
            data = read_data(row.kind, row.points_path)
            evidence = evidence_of(None, data, row.kind, file_digest=file.file_digest)
    except (EngineError, FileNotFoundError):  # it could be read once, by an earlier version
        return None
    return evidence if evidence and file.file_digest in ("", evidence.file_digest) else None
