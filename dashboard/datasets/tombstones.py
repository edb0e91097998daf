"""What the ledger keeps of deleted accounts: source files and budgets without an owner, in lineages without one.

They have keyed digests, sketches, mechanisms and levels; no name, no file and no user. Whoever uploads such a file
again, from whatever account, takes its lineage over, with everything that was spent. See docs/decisions/0088.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from dashboard.datasets.models import Lineage, SourceFile


def take_over_file(owner_id: Any, file_digest: str) -> bool:
    """Take over the lineage of a file by its bytes; False if no deleted account uploaded it."""
    left = SourceFile.objects.filter(file_digest=file_digest, lineage__owner=None).exclude(file_digest="")
    return bool(_taken(owner_id, set(left.values_list("lineage_id", flat=True))))


def take_over(owner_id: Any, shares: Mapping[int, float]) -> dict[int, float]:
    """Take over the lineages of source files that share most events with an upload; the shares of those taken."""
    of = dict(SourceFile.objects.filter(pk__in=list(shares)).values_list("pk", "lineage_id"))
    taken = _taken(owner_id, set(of.values()))
    return {pk: share for pk, share in shares.items() if of.get(pk) in taken}


def _taken(owner_id: Any, lineages: Collection[int]) -> set[int]:
    """Of two owners at once, one takes a lineage."""
    taken = {pk for pk in lineages if Lineage.objects.filter(pk=pk, owner=None).update(owner=owner_id)}
    if taken:
        # a file that the owner has already stays as it is, and counts by its lineage
        known = SourceFile.objects.filter(owner_id=owner_id).exclude(file_digest="").values("file_digest")
        fresh = SourceFile.objects.filter(lineage__in=taken).exclude(file_digest__in=known)
        seen: dict[str, int] = {}
        for pk, digest, content in fresh.order_by("pk").values_list("pk", "file_digest", "content_digest"):
            seen.setdefault(digest or f"content {content}", pk)
        SourceFile.objects.filter(pk__in=seen.values()).update(owner=owner_id)
    return taken


def forget_what_spent_nothing(owner: Any) -> None:
    """Delete, before the account is, what needs no tombstone: lineages without a charge, and those of samples.

    Samples are generated data that every account may load.
    """
    mine = Lineage.objects.filter(owner=owner)
    spent = mine.filter(source_files__entries__isnull=False).values("pk")
    of_samples = mine.filter(source_files__datasets__sample=True).exclude(source_files__datasets__sample=False)
    unneeded = mine.exclude(pk__in=spent) | mine.filter(pk__in=of_samples.values("pk"))
    Lineage.objects.filter(pk__in=list(unneeded.values_list("pk", flat=True))).delete()
