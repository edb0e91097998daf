"""Writes of the streams app: open, publish, pause, resume, close, delete."""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from django.db import IntegrityError, transaction
from django.utils.crypto import salted_hmac

from dashboard.core.errors import Conflict, TooLarge
from dashboard.core.idempotency import check_key, earlier_row
from dashboard.core.keys import derived_key
from dashboard.core.text import one_line, required_name
from dashboard.streams.events import Event, parse_events
from dashboard.streams.models import Clock, LiveStream, PublishedTimestamp, StreamState
from privacy_engine import __version__, noise
from privacy_engine.errors import ParameterError, shown
from privacy_engine.mechanism import mechanisms
from privacy_engine.mechanisms.base.stream import Publisher
from privacy_engine.spec import ReleaseSpec

MOST_DIMENSIONS = 10_000
MOST_CELLS = 1_000_000
"""Counts that one request may publish."""
LONGEST_NAME = 200
"""Characters of the name of a dimension."""
MOST_OPEN = 100
"""Streams of one user that are not closed."""


def live_spec(described: Any) -> ReleaseSpec:
    """What a live stream of the mechanism that ``described`` names publishes by.

    Raises
    ------
    ParameterError
        The mechanism has no guarantee with these parameters. Others as in :meth:`ReleaseSpec.parse`.
    """
    mechanism = mechanisms.parse(described, field="mechanism")
    if mechanism.unsound:
        rule = "one with a guarantee, for a live stream is published"
        raise ParameterError(f"mechanism must be {rule}: {mechanism.unsound}", field="mechanism", rule=rule)
    return ReleaseSpec.parse({"mechanism": mechanism.model_dump()})


def open_stream(
    *,
    owner: Any,
    name: str,
    dimensions: Sequence[str],
    spec: ReleaseSpec,
    step: float | None = None,
    idempotency_key: str = "",
) -> tuple[LiveStream, bool]:
    """A stream that takes counts, and whether it is a new one; an equal request with the same key opens one stream.

    Raises
    ------
    ParameterError
        The mechanism is for another kind of data; there is a seed, since what is published live cannot be repeated;
        names are missing or not distinct; or ``step`` is not positive.
    Conflict
        The key was used for another request, or the user has :data:`MOST_OPEN` streams that are not closed.
    """
    check_key(idempotency_key)
    spec.checked("stream")
    if spec.seed is not None:
        rule = "left out: a live stream is published, and a seed ends privacy"
        raise ParameterError(f"seed must be {rule}", field="seed", rule=rule, value=spec.seed)
    if spec.postprocess:
        rule = "left out for a live stream"
        raise ParameterError(f"postprocess must be {rule}", field="postprocess", rule=rule)
    if step is not None and not (step > 0 and math.isfinite(step)):
        raise ParameterError(f"step must be above 0, got {step:g}", field="step", rule="above 0", value=step)
    fresh = LiveStream(
        owner=owner,
        name=required_name(name),
        dimensions=stream_names(dimensions),
        spec=spec.model_dump(),
        spec_digest=spec.digest,
        mechanism=spec.mechanism.name,
        step=step,
        idempotency_key=idempotency_key,
    )
    if earlier := earlier_row(fresh, _request):
        return earlier, False
    waiting = LiveStream.objects.filter(owner=owner).exclude(state=StreamState.CLOSED).count()
    if waiting >= MOST_OPEN:
        rule = f"at most {MOST_OPEN} streams that are not closed"
        raise Conflict(f"You have {waiting} streams that are not closed; close one.", field="streams", rule=rule)
    try:
        with transaction.atomic():
            fresh.save(force_insert=True)
    except IntegrityError:
        if earlier := earlier_row(fresh, _request):  # the same request came twice at once, and the other was first
            return earlier, False
        raise
    return fresh, True


def stream_names(dimensions: Sequence[Any]) -> list[str]:
    """The names of the dimensions of a stream, each on one line.

    Raises
    ------
    ParameterError
        They are not 1 to :data:`MOST_DIMENSIONS` names of 1 to :data:`LONGEST_NAME` characters, each once.
    """
    if not 1 <= len(dimensions) <= MOST_DIMENSIONS:
        rule = f"1 to {MOST_DIMENSIONS:,} names"
        message = f"dimensions must be {rule}, got {len(dimensions):,}"
        raise ParameterError(message, field="dimensions", rule=rule, value=len(dimensions))
    first: dict[str, int] = {}
    for i, given in enumerate(dimensions):
        name = one_line(given, LONGEST_NAME + 1) if isinstance(given, str) else ""
        rule = f"a name of 1 to {LONGEST_NAME} characters" if not 1 <= len(name) <= LONGEST_NAME else ""
        if name in first:
            rule = f"a name that differs from that of dimension {first[name] + 1}"
        if rule:
            message = f"dimensions.{i} must be {rule}, got {shown(given)!r} for dimension {i + 1}"
            raise ParameterError(message, field=f"dimensions.{i}", rule=rule, value=given)
        first[name] = i
    return list(first)


def _request(stream: LiveStream) -> tuple[Any, ...]:
    return stream.name, stream.dimensions, stream.spec_digest, stream.step


def publish_events(*, stream: LiveStream, events: Sequence[Any]) -> list[tuple[PublishedTimestamp, bool]]:
    """Publish the counts of successive timestamps: for each its row, and whether this request published it.

    A timestamp that was published before returns the same values if its counts are the same. New ones follow the last
    in order, at the step of the stream if it has one. All are published, or none: the state of the mechanism, its
    window ledger and the values are written in one transaction, so a request that got no response can be sent again.

    Raises
    ------
    ParameterError
        An event is malformed, or the times of a request do not increase.
    Conflict
        A timestamp was published with other counts, lies before the last one, or leaves out one; or the stream is
        paused or closed.
    TooLarge
        More than :data:`MOST_CELLS` counts.
    """
    dimensions = stream.dimensions
    if len(events) * len(dimensions) > MOST_CELLS:
        rule = f"at most {MOST_CELLS // len(dimensions):,} timestamps of {len(dimensions):,} counts"
        raise TooLarge("The request has too many counts.", field="events", rule=rule, value=len(events))
    parsed = parse_events(events, dimensions)
    if not parsed:
        rule = "at least 1 event"
        raise ParameterError(f"events must have {rule}", field="events", rule=rule, value=0)
    return _publish_once(stream, parsed)


@transaction.atomic
def _publish_once(stream: LiveStream, parsed: Sequence[Event]) -> list[tuple[PublishedTimestamp, bool]]:
    row = LiveStream.objects.select_for_update().get(pk=stream.pk)
    _check_times(row, parsed)
    known = _published_before(row, parsed)
    new = [(i, one) for i, one in enumerate(parsed) if i not in known]
    if new:
        _check_new(row, new)
        rows = _publish(row, [one for _, one in new])
        known |= {i: one for (i, _), one in zip(new, rows, strict=True)}
    fresh = {i for i, _ in new}
    return [(known[i], i in fresh) for i in range(len(parsed))]


def _check_times(row: LiveStream, events: Sequence[Event]) -> None:
    clock = row.clock or events[0].clock
    for i, one in enumerate(events):
        if one.clock != clock:
            rule = "a number as before" if clock == Clock.NUMBER else "a date and time as before"
            raise _wrong(f"events.{i}.time", rule, one.label)
        if i and one.time <= events[i - 1].time:
            raise _wrong(
                f"events.{i}.time", f"after {events[i - 1].label}, the time before it in the request", one.label
            )


def _wrong(field: str, rule: str, value: str) -> ParameterError:
    return ParameterError(f"{field} must be {rule}, got {value}", field=field, rule=rule, value=value)


def _published_before(row: LiveStream, events: Sequence[Event]) -> dict[int, PublishedTimestamp]:
    """The rows of the events that were published already, by their place in the request."""
    if row.last_time is None:
        return {}
    old = {i: one for i, one in enumerate(events) if one.time <= row.last_time}
    rows = {one.time: one for one in row.timestamps.filter(time__in=[one.time for one in old.values()])}
    found = {}
    for i, one in old.items():
        field = f"events.{i}"
        if one.time not in rows:
            rule = f"after {row.last_label}, the last timestamp published"
            message = f"{field}.time must be {rule}: {one.label} lies before it and was not published."
            raise Conflict(message, field=f"{field}.time", rule=rule, value=one.label)
        if rows[one.time].digest != _digest(row, one) and rows[one.time].digest != _earlier_digest(row, one):
            rule = "the counts that were published for this timestamp"
            message = f"{one.label} was published with other counts; nothing published can be changed."
            raise Conflict(message, field=f"{field}.counts", rule=rule, value=one.label)
        found[i] = rows[one.time]
    return found


def _digest(row: LiveStream, event: Event) -> str:
    """A keyed digest of an event's counts: without the ledger's key it shows nothing of them."""
    return hmac.new(derived_key("streams counts 1"), _digested(row, event), "sha256").hexdigest()


def _earlier_digest(row: LiveStream, event: Event) -> str:
    """The digest as it was before decision 99, by SECRET_KEY: the same counts are not found where that was changed."""
    body = hashlib.sha256(_digested(row, event)).digest()
    return salted_hmac("cairn.streams.counts", body, algorithm="sha256").hexdigest()


def _digested(row: LiveStream, event: Event) -> bytes:
    return f"{row.pk} {event.time!r} ".encode() + event.counts.astype("<f8").tobytes()


def _check_new(row: LiveStream, new: Sequence[tuple[int, Event]]) -> None:
    if row.state != StreamState.OPEN:
        message = f"The stream is {row.state} and takes no counts."
        raise Conflict(message, field="stream", rule="open", value=row.state)
    last, label = row.last_time, row.last_label
    for i, one in new:
        if row.step is not None and last is not None and not _is_step(one.time - last, row.step, one.time):
            rule = f"{row.step:g} after {label}, the step of this stream"
            message = (
                f"events.{i}.time must be {rule}, got {one.label}. Where nothing was counted in between, publish zeros."
            )
            raise Conflict(message, field=f"events.{i}.time", rule=rule, value=one.label)
        last, label = one.time, one.label


def _is_step(found: float, step: float, time: float) -> bool:
    """Whether the difference ``found`` is ``step``: times are floats, seconds since 1970 multiples of 2.4e-7."""
    return abs(found - step) <= max(1e-6 * step, 4.0 * math.ulp(time))


def _publish(row: LiveStream, events: Sequence[Event]) -> list[PublishedTimestamp]:
    mechanism = row.parsed_mechanism
    run: Publisher = mechanism.start(len(row.dimensions), noise.publishable(), row.dimensions)
    if row.publisher is not None:
        run.restore(bytes(row.publisher))
    counts = run.publish_all(np.array([one.counts for one in events]))
    budgets = run.budgets[-len(events) :]
    whole = counts.dtype.kind == "i"
    found = PublishedTimestamp.objects.bulk_create(
        PublishedTimestamp(
            stream=row,
            position=row.published + i,
            time=one.time,
            label=one.label,
            digest=_digest(row, one),
            values=counts[i].astype("<i8" if whole else "<f8").tobytes(),
            whole=whole,
            budget=float(budgets[i]),
        )
        for i, one in enumerate(events)
    )
    row.publisher = run.state()
    row.published = run.published
    row.clock = events[-1].clock
    row.last_time, row.last_label = events[-1].time, events[-1].label
    row.window_spent = run.ledger.spent
    row.engine_version = __version__
    row.save()
    return found


@transaction.atomic
def change_state(*, stream: LiveStream, state: StreamState) -> LiveStream:
    """Pause, resume or close a stream; nothing is published by it. Closing deletes the state of the mechanism.

    Raises
    ------
    Conflict
        It is closed: that is final.
    """
    row = LiveStream.objects.select_for_update().get(pk=stream.pk)
    if row.state == StreamState.CLOSED and state != StreamState.CLOSED:
        raise Conflict("The stream is closed; that is final.", field="stream", rule="not closed", value=row.state)
    row.state = state
    if state == StreamState.CLOSED:
        row.publisher = None  # it may hold counts, which no timestamp needs any more
    row.save(update_fields=["state", "publisher", "changed_at"])
    return row


@transaction.atomic
def delete_stream(*, stream: LiveStream) -> None:
    """Delete a stream that published nothing.

    Raises
    ------
    Conflict
        It published something: its ledger stays while the account of its owner does.
    """
    row = LiveStream.objects.select_for_update().get(pk=stream.pk)
    if row.published:
        message = "The stream has published; its ledger stays. Close it instead."
        raise Conflict(message, field="stream", rule="without published timestamps", value=row.published)
    row.delete()
