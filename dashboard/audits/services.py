"""Writes of the audits app: submit, delete."""

from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from dashboard.audits.models import Audit
from dashboard.core.errors import Conflict
from dashboard.jobs import queue
from dashboard.jobs.models import OPEN
from privacy_engine.audit import ALTERATIONS, NUMPY_LAPLACE, PREFIX, TITLES, AuditSpec
from privacy_engine.mechanisms.base.mechanism import mechanisms

MOST_OPEN = 4
"""Audits of a user that wait or run at once: each keeps a worker busy for up to minutes."""


@transaction.atomic
def submit_audit(*, owner: Any, spec: AuditSpec) -> Audit:
    """Create an audit and enqueue it.

    Raises
    ------
    ParameterErrors
        The mechanism is not known, or any of its parameters is not valid.
    Conflict
        The owner has :data:`MOST_OPEN` audits open.
    """
    spec.target()
    get_user_model().objects.select_for_update().get(pk=owner.pk)
    waiting = Audit.objects.filter(owner=owner, state__in=OPEN).count()
    if waiting >= MOST_OPEN:
        rule = f"at most {MOST_OPEN} audits that wait or run"
        message = f"{waiting} of your audits wait or run; wait until one ends, or cancel one."
        raise Conflict(message, field="audits", rule=rule, value=waiting)
    row = Audit.objects.create(owner=owner, name=title_of(spec), spec=spec.model_dump())
    queue.submit_on_commit(row, owner)
    return row


def title_of(spec: AuditSpec) -> str:
    """Return what lists call an audit: the mechanism, what a control alters, level and radius."""
    parts = spec.name.removeprefix(PREFIX).split(":")
    altered = [TITLES[parts[0]].lower()] if parts[0] in ALTERATIONS else []
    title = "numpy’s Laplace noise" if parts == [NUMPY_LAPLACE] else mechanisms.shown(parts[-1]).title
    epsilon, radius_m = spec.mechanism["epsilon"], spec.mechanism.get("radius_m")
    level = f"ε = {epsilon:g}" if radius_m is None else f"ε = {epsilon:g} per {radius_m:g} m"
    return ", ".join([title, *altered, level])
