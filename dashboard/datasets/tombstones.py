"""What the ledger keeps of deleted accounts: source files and budgets without an owner, in lineages without any.

They have keyed digests, sketches, mechanisms and levels; no name, no file and no user. Whoever uploads such a file
again, from whatever account, takes its lineage over, with everything that was spent; so does who uploads most of its
events, and at least 100. All events then count as shared. See docs/explanation/security.md.
"""

from collections.abc import Collection, Mapping
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from dashboard.datasets.event_classes import count_wholly
from dashboard.datasets.models import Lineage, SourceFile


def take_over_file(owner_id: Any, file_digest: str) -> set[int]:
    """Take over the lineages of a file by its bytes; the other source files that then count for it."""
    left = SourceFile.objects.filter(file_digest=file_digest, lineage__owner=None).exclude(file_digest="")
    taken = _take_over(owner_id, set(left.values_list("lineage_id", flat=True)))
    own = SourceFile.objects.filter(owner_id=owner_id, file_digest=file_digest)
    return taken - set(own.values_list("pk", flat=True))


def take_over(owner_id: Any, shares: Mapping[int, float]) -> set[int]:
    """Take over the lineages of source files that share most events with an upload; all that then count for it.

    What was taken over before is among them.
    """
    files = SourceFile.objects.filter(pk__in=list(shares))
    before = set(files.filter(lineage__owner=owner_id).values_list("pk", flat=True))
    return before | _take_over(owner_id, set(files.values_list("lineage_id", flat=True)))


def _take_over(owner_id: Any, lineages: Collection[int]) -> set[int]:
    """Give an owner those lineages that have none: their files, and the owner's own files of the same content.

    Of two owners who claim a lineage at once, the first has it. A file is inherited as it is; of several files of one
    content the owner has the first, and of a content that the owner had uploaded before, that upload.
    """
    taken = [pk for pk in lineages if Lineage.objects.filter(pk=pk, owner=None).update(owner=owner_id)]
    own = {row.file_digest: row for row in SourceFile.objects.filter(owner_id=owner_id).exclude(file_digest="")}
    files: set[int] = set()
    already_owned: set[int] = set()
    first_of_content: dict[str, int] = {}
    for file in SourceFile.objects.filter(lineage__in=taken).order_by("pk"):
        files.add(file.pk)
        if file.file_digest in own:  # stays as it is, and counts for the file that the owner has
            count_wholly(file, own[file.file_digest])
            already_owned.add(own[file.file_digest].pk)
        else:
            first_of_content.setdefault(file.file_digest or f"content {file.content_digest}", file.pk)
    SourceFile.objects.filter(pk__in=files).update(inherited=True)
    SourceFile.objects.filter(pk__in=first_of_content.values()).update(owner=owner_id)
    return files | already_owned


def forget_what_spent_nothing(owner: Any) -> None:
    """Delete, before the account is, what needs no tombstone: lineages without a charge, and those of samples.

    Samples are generated data that every account may load.
    """
    mine = Lineage.objects.filter(owner=owner)
    spent = mine.filter(source_files__entries__isnull=False).values("pk")
    of_samples = mine.filter(source_files__datasets__sample=True).exclude(source_files__datasets__sample=False)
    unneeded = mine.exclude(pk__in=spent) | mine.filter(pk__in=of_samples.values("pk"))
    Lineage.objects.filter(pk__in=list(unneeded.values_list("pk", flat=True))).delete()
    forget_events(SourceFile.objects.filter(lineage__owner=owner, entries=None))


def forget_unless_charged(source_file: Any) -> None:
    """Delete the hashes of an upload whose last dataset was deleted, unless a release of it was charged."""
    with transaction.atomic():
        file = SourceFile.objects.filter(pk=source_file).first()
        if file is not None:
            get_user_model().objects.select_for_update(no_key=True).filter(pk=file.owner_id).first()
            forget_events(SourceFile.objects.filter(pk=source_file, datasets=None, entries=None))


def forget_events(files: Any) -> None:
    """Delete all hashes and sketches of these source files."""
    for file in files:
        file.readings.all().delete()
        file.sketches.all().delete()
