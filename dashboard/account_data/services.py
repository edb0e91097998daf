"""Writes of account data: request an export, delete the account with all that is stored of it."""

from datetime import timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from dashboard.account_data.models import AccountExport
from dashboard.accounts import mail
from dashboard.accounts.models import User
from dashboard.core.errors import Conflict
from dashboard.datasets import lineage, tombstones
from dashboard.jobs import queue
from dashboard.jobs.models import OPEN
from dashboard.storage import removals


def visible_exports(user: Any) -> QuerySet[AccountExport]:
    """The user's own, newest first."""
    return AccountExport.objects.filter(owner=user).order_by("-created_at", "pk")


@transaction.atomic
def request_export(*, owner: Any) -> AccountExport:
    """Queue an export; the export before is deleted.

    Raises
    ------
    Conflict
        One is being made.
    """
    lineage.lock_owner(owner.pk)
    mine = AccountExport.objects.filter(owner=owner)
    if mine.filter(state__in=OPEN).exists():
        raise Conflict("An export is being made already.", field="state", rule="no other export waits or runs")
    for row in mine:
        delete_export(export=row)
    row = AccountExport.objects.create(owner=owner)
    queue.enqueue_on_commit(row)
    transaction.on_commit(partial(mail.report, owner, "An export of all its data was requested."))
    return row


def delete_export(*, export: AccountExport) -> None:
    """Delete an export with its file. A worker that makes it stores nothing."""
    export.delete()


def forget_expired() -> int:
    """Delete the exports that are old; how many."""
    old = AccountExport.objects.filter(finished_at__lt=timezone.now() - timedelta(hours=settings.CAIRN_EXPORT_HOURS))
    rows = list(old)
    for row in rows:
        delete_export(export=row)
    return len(rows)


@transaction.atomic
def delete_account(*, user: User) -> None:
    """Delete the user with all rows; public links, sessions and tokens end at once.

    The first files are removed at once and the others by the sweep, also those that a worker writes meanwhile and what
    is in the trash. Of what was spent the ledger keeps source files and budgets without an owner
    (dashboard/datasets/tombstones.py).
    """
    lineage.lock_owner(user.pk)
    tombstones.forget_what_spent_nothing(user)
    with removals.left_to_the_sweep():
        user.delete()
    transaction.on_commit(removals.finish)
