"""Writes of the streams app: open, publish, pause, resume, close, delete."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db import transaction

from dashboard.core.computing import computed
from dashboard.core.errors import Conflict, TooLarge, must_be
from dashboard.core.idempotency import check_key, earlier_row, once
from dashboard.core.text import one_line, required_name
from dashboard.streams.events import Event, parse_counts, parse_time, parse_times
from dashboard.streams.models import LINE, Clock, LiveStream, PublishedTimestamp, StreamState
from privacy_engine import __version__, noise
from privacy_engine.core.arrays import Floats
from privacy_engine.errors import ParameterError, shown
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.stream import Publisher
from privacy_engine.releases.spec import ReleaseSpec

MOST_DIMENSIONS = 10_000
MOST_CELLS = 1_000_000
"""Counts that a request may publish."""
LONGEST_NAME = 200
"""Characters of the name of a dimension."""
MOST_OPEN = 100
"""Streams of a user that are not closed."""


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
    """A stream that takes counts, and whether it is new; an equal request with the same key opens no further stream.

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
        raise must_be("seed", "left out: a live stream is published, and a seed ends privacy", spec.seed, got=False)
    if spec.postprocess:
        raise must_be("postprocess", "left out for a live stream")
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
    return once(partial(earlier_row, fresh, _request), partial(_open, fresh))


def stream_names(dimensions: Sequence[Any]) -> list[str]:
    """The names of the dimensions of a stream, each on a line.

    Raises
    ------
    ParameterError
        They are not 1 to :data:`MOST_DIMENSIONS` names of 1 to :data:`LONGEST_NAME` characters, each once.
    """
    if not 1 <= len(dimensions) <= MOST_DIMENSIONS:
        rule = f"1 to {MOST_DIMENSIONS:,} names"
        raise must_be("dimensions", rule, len(dimensions), got=f"{len(dimensions):,}")
    first: dict[str, int] = {}
    for i, given in enumerate(dimensions):
        name = one_line(given, LONGEST_NAME + 1) if isinstance(given, str) else ""
        rule = f"a name of 1 to {LONGEST_NAME} characters" if not 1 <= len(name) <= LONGEST_NAME else ""
        if name in first:
            rule = f"a name that differs from that of dimension {first[name] + 1}"
        if rule:
            raise must_be(f"dimensions.{i}", rule, given, got=f"{shown(given)!r} for dimension {i + 1}")
        first[name] = i
    return list(first)


@transaction.atomic
def _open(fresh: LiveStream) -> LiveStream:
    waiting = LiveStream.objects.filter(owner=fresh.owner).exclude(state=StreamState.CLOSED).count()
    if waiting >= MOST_OPEN:
        rule = f"at most {MOST_OPEN} streams that are not closed"
        raise Conflict(f"You have {waiting} streams that are not closed; close one.", field="streams", rule=rule)
    fresh.save(force_insert=True)
    return fresh


def _request(stream: LiveStream) -> tuple[Any, ...]:
    return stream.name, stream.dimensions, stream.spec_digest, stream.step


class AlreadyPublished(Conflict):
    """A time is not after the last published: the error has what was published of them, and no count was read."""

    code = "published"

    def __init__(self, last: str, rows: Sequence[PublishedTimestamp]) -> None:
        rule = f"after {last}, the last timestamp published"
        message = f"events must be {rule}. Nothing published is changed; of the counts sent none was read."
        super().__init__(message, field="events", rule=rule)
        self.rows = rows

    def as_dict(self) -> dict[str, Any]:
        """The error, with ``published``: what was published of those times that were."""
        return super().as_dict() | {"published": [_facts(row) for row in self.rows]}


def _facts(row: PublishedTimestamp) -> dict[str, Any]:
    return {"position": row.position, "time": row.label, "counts": row.numbers, "budget": row.budget}


def repeated(*, stream: LiveStream, user: Any, key: str) -> list[PublishedTimestamp] | None:
    """What the request of this user with this key published before; None if there was none.

    Raises
    ------
    Conflict
        The stream is paused or closed: then every request has this answer.
    """
    if stream.state != StreamState.OPEN:
        message = f"The stream is {stream.state} and takes no counts."
        raise Conflict(message, field="stream", rule="open", value=stream.state)
    earlier = stream.requests.filter(user=user, key=key).first() if key else None
    return earlier and list(stream.timestamps.filter(position__range=(earlier.first, earlier.last)))


def published_line(stream: LiveStream, time: Any) -> PublishedTimestamp | None:
    """What a line of ``manage.py publish`` with this time published before; None where no line did.

    A line has a key of its own, drawn when it was published. Errors as in :func:`parse_time`.
    """
    seconds, clock = parse_time(time, "events.0.time")
    row = PublishedTimestamp.objects.filter(stream=stream, stream__clock=clock, time=seconds).first()
    if row is None:
        return None
    by = stream.requests.filter(first__lte=row.position).order_by("-first").first()
    return row if by and row.position <= by.last and by.key.startswith(LINE) else None


def publish_events(
    *, stream: LiveStream, events: Sequence[Any], user: Any = None, key: str = ""
) -> tuple[list[PublishedTimestamp], bool]:
    """Publish the counts of successive timestamps: their rows, and whether this request published them.

    With a ``key`` that ``user`` sent to this stream before, nothing of ``events`` is compared or published: the rows
    are those of that request. Otherwise all times follow the last published, at the step of the stream if it has
    any; the counts of a request whose times do not are never read, so that no response depends on them. All is
    published, or nothing: the state of the mechanism, its window ledger, the values and the key are written in the same
    transaction, so a request that got no response can be sent again.

    Raises
    ------
    ParameterError
        An event is malformed, or the times of a request do not increase.
    AlreadyPublished
        A time is not after the last published.
    Conflict
        A timestamp is left out, or the stream is paused or closed.
    TooLarge
        More than :data:`MOST_CELLS` counts.
    """
    width = len(stream.dimensions)
    if len(events) * width > MOST_CELLS:
        rule = f"at most {MOST_CELLS // width:,} timestamps of {width:,} counts"
        raise TooLarge("The request has too many counts.", field="events", rule=rule, value=len(events))
    if not events:
        rule = "at least 1 event"
        raise ParameterError(f"events must have {rule}", field="events", rule=rule, value=0)
    return _publish_once(stream, parse_times(events), user, key)


@computed
@transaction.atomic
def _publish_once(
    stream: LiveStream, events: Sequence[Event], user: Any, key: str
) -> tuple[list[PublishedTimestamp], bool]:
    row = LiveStream.objects.select_for_update().get(pk=stream.pk)
    if (earlier := repeated(stream=row, user=user, key=key)) is not None:  # the same request came twice at once
        return earlier, False
    _check_times(row, events)
    rows = _publish(row, events, parse_counts(events, row.dimensions))
    if key:
        row.requests.create(user=user, key=key, first=rows[0].position, last=rows[-1].position)
    return rows, True


def _check_times(row: LiveStream, events: Sequence[Event]) -> None:
    clock = row.clock or events[0].clock
    for i, event in enumerate(events):
        if event.clock != clock:
            rule = "a number as before" if clock == Clock.NUMBER else "a date and time as before"
            raise must_be(f"events.{i}.time", rule, event.label, got=event.label)
        if i and event.time <= events[i - 1].time:
            rule = f"after {events[i - 1].label}, the time before it in the request"
            raise must_be(f"events.{i}.time", rule, event.label, got=event.label)
    if row.last_time is not None and events[0].time <= row.last_time:
        raise AlreadyPublished(row.last_label, list(row.timestamps.filter(time__in=[sent.time for sent in events])))
    _check_steps(row, events)


def _check_steps(row: LiveStream, events: Sequence[Event]) -> None:
    last, label = row.last_time, row.last_label
    for i, event in enumerate(events):
        if row.step is not None and last is not None and not _is_step(event.time - last, row.step, event.time):
            rule = f"{row.step:g} after {label}, the step of this stream"
            message = f"events.{i}.time must be {rule}, got {event.label}."
            message += " Where nothing was counted in between, publish zeros."
            raise Conflict(message, field=f"events.{i}.time", rule=rule, value=event.label)
        last, label = event.time, event.label


def _is_step(difference: float, step: float, time: float) -> bool:
    """Whether the difference is ``step``: times are floats, seconds since 1970 multiples of 2.4e-7."""
    return abs(difference - step) <= max(1e-6 * step, 4.0 * math.ulp(time))


def _publish(row: LiveStream, events: Sequence[Event], given: Floats) -> list[PublishedTimestamp]:
    mechanism = row.parsed_mechanism
    run: Publisher = mechanism.start(len(row.dimensions), noise.publishable(), row.dimensions)
    if row.publisher is not None:
        run.restore(bytes(row.publisher))
    counts = run.publish_all(given)
    budgets = run.budgets[-len(events) :]
    whole = counts.dtype.kind == "i"
    rows = PublishedTimestamp.objects.bulk_create(
        PublishedTimestamp(
            stream=row,
            position=row.published + i,
            time=event.time,
            label=event.label,
            values=counts[i].astype("<i8" if whole else "<f8").tobytes(),
            whole=whole,
            budget=float(budgets[i]),
        )
        for i, event in enumerate(events)
    )
    row.publisher = run.state()
    row.published = run.published
    row.clock = events[-1].clock
    row.last_time, row.last_label = events[-1].time, events[-1].label
    row.window_spent = run.ledger.spent
    row.engine_version = __version__
    row.save()
    return rows


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
