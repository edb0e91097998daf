"""How many bytes a user may store: the uploads, as they came, and those that are under way.

What is made of them (points, releases, experiments) does not count, nor the base map, which has a limit of its own.
"""

from typing import Any

from django.conf import settings
from django.db.models import Sum

from dashboard.core.errors import TooLarge
from dashboard.datasets.lineage import lock_owner
from dashboard.datasets.models import Dataset, Upload


class QuotaExceeded(TooLarge):
    """The file would exceed what its owner may store."""

    code = "quota"


def quota_of(user: Any) -> int | None:
    """Bytes that the user may store: their own limit, or ``CAIRN_QUOTA_GB``; None without a limit."""
    own = user.quota_bytes
    if own is None:
        return settings.CAIRN_QUOTA_BYTES or None
    return None if own < 0 else int(own)


def used_bytes(user: Any) -> int:
    """Bytes of the originals that are kept, and of uploads that are not datasets yet, as long as they will be."""
    kept = Dataset.objects.filter(owner=user, original_removed_at=None).aggregate(all=Sum("size_bytes"))
    under_way = Upload.objects.filter(owner=user, dataset=None).aggregate(all=Sum("length"))
    return int(kept["all"] or 0) + int(under_way["all"] or 0)


def require(user: Any, size: int, file_name: str, *, reserved: int = 0) -> None:
    """Refuse ``size`` bytes more than the user may store; call it in the transaction that stores their row.

    ``reserved`` bytes of what is used are these bytes.

    Raises
    ------
    QuotaExceeded
        Names the limit, what is used of it, and the file.
    """
    limit = quota_of(user)
    if limit is None:
        return
    lock_owner(user.pk)  # two uploads at once would each fit alone
    used = used_bytes(user) - reserved
    if used + size > limit:
        raise QuotaExceeded(
            f"“{file_name:.100}” has {_mb(size)}. Your uploads take {_mb(used)} of the {_mb(limit)} that this account "
            "may store. Delete datasets that you no longer need, or let the administrator raise the limit.",
            field="file",
            rule=f"at most {max(limit - used, 0)} bytes, what is left of {limit}",
            value=size,
        )


def _mb(size: int) -> str:
    return f"{size / 1e6:,.6g} MB"
