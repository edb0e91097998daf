"""Live streams over the API: exactly once for each timestamp, in order, within the budget of every window."""

import csv
import gc
import io
import json
import re
import threading
from datetime import UTC, datetime

import numpy as np
import pytest
from django.conf import settings

from dashboard.accounts.models import User
from dashboard.streams import live
from dashboard.streams.models import LiveStream, PublishedTimestamp
from privacy_engine.accounting.window_ledger import WindowLedger
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.verify import verify
from tests.dashboard.api_helpers import first_error, refused
from tests.dashboard.conftest import at_once, client_of

STREAMS = "/api/v1/streams/"
MECHANISM = {"name": "stream-uniform", "epsilon": 1.0, "window": 4, "sensitivity": 1}
NAMES = ["north", "south"]
PUBLISHABLE = [cls.registered_name() for cls in mechanisms.of("stream") if getattr(cls, "publishable", True)]


def described(**changed):
    return {"name": "Visits", "dimensions": NAMES, "mechanism": MECHANISM} | changed


def opened(api, **changed):
    answer = api.post(STREAMS, described(**changed))
    assert answer.status_code == 201, answer.content
    return f"{STREAMS}{answer.json()['id']}/"


def event(time, *counts):
    return {"time": time, "counts": list(counts)}


def publish(api, url, *events, key=""):
    headers = {"Idempotency-Key": key} if key else {}
    return api.post(f"{url}events/", {"events": list(events)}, headers=headers)


def published(api, url):
    return list(api.get(f"{url}events/").json()["results"])


class TestPublishing:
    @pytest.mark.parametrize("name", PUBLISHABLE)
    def test_every_mechanism_publishes_row_by_row_within_its_windows(self, owner_api, name):
        url = opened(owner_api, mechanism=MECHANISM | {"name": name})
        for t in range(12):
            answer = publish(owner_api, url, event(t, 5, 70))
            assert answer.status_code == 201, answer.content
        rows = published(owner_api, url)
        assert [row["position"] for row in rows] == list(range(12))
        assert [row["time"] for row in rows] == [str(t) for t in range(12)]
        WindowLedger(1.0, 4).spend_all(np.array([row["budget"] for row in rows]))
        assert owner_api.get(url).json()["window_spent"] == pytest.approx(sum(row["budget"] for row in rows[-4:]))

    def test_one_request_and_several_are_the_same_stream(self, owner_api):
        """Without noise: counts by name, and 1, 2 and 5 timestamps a request publish the counts."""
        url = opened(owner_api, mechanism=MECHANISM | {"name": "stream-sample", "epsilon": 1e4})
        counts = [[t, 100 - t] for t in range(8)]
        publish(owner_api, url, {"time": 0, "counts": {"south": 100, "north": 0}})
        for start, end in ((1, 3), (3, 8)):
            publish(owner_api, url, *(event(t, *counts[t]) for t in range(start, end)))
        assert [row["counts"] for row in published(owner_api, url)] == [counts[t - t % 4] for t in range(8)]

    def test_a_key_returns_what_its_request_published(self, owner_api):
        """Whatever is sent with it: the body of a repeat is not read, and nothing is published by it."""
        url = opened(owner_api)
        first = publish(owner_api, url, event(1, 5, 6), event(2, 7, 8), key="a")
        assert (first.status_code, first.json()["results"][0]["repeated"]) == (201, False)
        again = [publish(owner_api, url, *events, key="a") for events in ([event(1, 5, 6)], [event(3, 0, 0)], [7], [])]
        again.append(owner_api.post(f"{url}events/", b"{", content_type="application/json", HTTP_IDEMPOTENCY_KEY="a"))
        assert {one.content for one in again} == {again[0].content}
        assert {one.status_code for one in again} == {200}
        results = [row | {"repeated": True} for row in first.json()["results"]]
        assert again[0].json() == {"published": 2, "results": results}
        assert publish(owner_api, url, event(3, 5, 6), key="b").status_code == 201

    def test_instants_and_counts_that_no_later_timestamp_needs(self, owner_api):
        url = opened(owner_api)
        publish(owner_api, url, event("2026-01-01T12:00:00+01:00", 1, 2))
        again = publish(owner_api, url, event("2026-01-01T11:00:00Z", 1, 2))
        assert first_error(again)["published"][0]["time"] == "2026-01-01T12:00:00+01:00"
        assert publish(owner_api, url, event("2026-01-02", 1, 2)).status_code == 201
        url = opened(owner_api, mechanism=MECHANISM | {"epsilon": 1e-3})
        publish(owner_api, url, event(0, 123_456_789, 987_654_321))
        for row in [*LiveStream.objects.values(), *PublishedTimestamp.objects.values()]:
            for value in row.values():
                body = bytes(value) if isinstance(value, memoryview | bytes) else str(value).encode()
                for count in (123_456_789, 987_654_321):
                    for form in (str(count).encode(), count.to_bytes(8, "little"), np.float64(count).tobytes()):
                        assert form not in body


ODD = ("2026-01-01\x0000:00:00Z", "２０２６-01-01T00:00:00Z")
TIMES = ("yesterday", "2026-01-01T00:00:00", "2026-01-01T00:00:00,5Z", *ODD)


class TestRefused:
    MALFORMED = [
        *[([event(time, 1, 1)], "time", "offset from UTC") for time in TIMES],
        *[([event(4, wrong, 1)], "counts.north", "a whole number from 0") for wrong in (1.5, True, "1", 10**400)],
        *[([event(wrong, 1, 1)], "time", "a number") for wrong in (None, 10**400)],
        ([event("2026-01-01T00:00:00Z", 1, 1)], "time", "a number as before"),
        ([event(4, 1)], "counts", "a list of 2 numbers"),
        ([event(4, 1, -1)], "counts.south", "a whole number from 0"),
        ([{"time": 4}], "counts", "given"),
        ([{"time": 4, "counts": [1, 1], "seed": 1}], "seed", "left out"),
        ([{"time": 4, "counts": {"north": 1}}], "counts.south", "0 where there was nothing"),
        ([{"time": 4, "counts": {"north": 1, "south": 1, "x": 1}}], "counts.x", "dimensions"),
    ]
    CASES = [(events, 400, f"events.0.{field}", part) for events, field, part in MALFORMED]
    CASES += [
        ([event(4, 1, 1), event(5, 1, -1)], 400, "events.1.counts.south", "a whole number from 0"),
        ([event(5, 1, 1), event(4, 1, 1)], 400, "events.1.time", "after 5"),
        ([event(2, 1, 1)], 409, "events", "after 3, the last timestamp published"),
        ([event(3, 8, 8)], 409, "events", "of the counts sent none was read"),
        ([event(3, 2, 2), event(4, 2, 2)], 409, "events", "after 3"),
        ([event(3, "x")], 409, "events", "after 3"),
        ([7], 400, "events.0", "an object"),
        ([], 400, "events", "at least 1"),
        ("4", 400, "events", "a list"),
    ]

    def test_the_error_names_what_is_wrong_and_nothing_is_published(self, owner_api, monkeypatch):
        url = opened(owner_api)
        publish(owner_api, url, event(1, 1, 1), event(3, 2, 2))
        before = published(owner_api, url)
        for events, status, field, part in self.CASES:
            answer = owner_api.post(f"{url}events/", {"events": events})
            assert refused(answer) == (status, field), str(events)[:80]
            assert part in first_error(answer)["message"]
        monkeypatch.setattr("dashboard.streams.services.MOST_CELLS", 4)
        assert publish(owner_api, url, *(event(t, 1, 1) for t in range(4, 7))).status_code == 413
        assert published(owner_api, url) == before

    def test_a_missing_timestamp_of_a_stream_with_a_step(self, owner_api):
        """Seconds since 1970 are floats, and text has microseconds: both are rounded."""
        start = datetime(2026, 11, 26, tzinfo=UTC).timestamp()
        for step in (3600, 0.1, 0.001, 1 / 3):
            url = opened(owner_api, step=step)
            times = [datetime.fromtimestamp(start + k * step, UTC).isoformat() for k in (*range(30), 31, 30)]
            assert publish(owner_api, url, *(event(time, 1, 1) for time in times[:30])).status_code == 201
            answer = publish(owner_api, url, event(times[30], 1, 1))
            assert refused(answer) == (409, "events.0.time")
            assert "publish zeros" in first_error(answer)["message"]
            assert publish(owner_api, url, event(times[31], 0, 0)).status_code == 201

    def test_what_cannot_be_opened(self, owner_api):
        text = "must be a name of 1 to 200 characters, got"
        for changed, field, message in (
            ({"dimensions": []}, "dimensions", "dimensions must be 1 to 10,000 names, got 0"),
            ({"dimensions": "a"}, "dimensions", ""),
            ({"dimensions": ["a", "b", "a"]}, "dimensions.2", "must be a name that differs from that of dimension 1"),
            *(({"dimensions": ["a", wrong]}, "dimensions.1", "") for wrong in (5, " ")),
            ({"dimensions": ["a", ""]}, "dimensions.1", f"{text} '' for dimension 2"),
            ({"dimensions": ["a", "n" * 201]}, "dimensions.1", f"{text} '{'n' * 79}…'"),
            *(({"name": wrong}, "name", "") for wrong in ("n" * 201, "\u202e")),
            ({"name": ""}, "name", "name must be a text of 1 to 200 characters, got ''"),
            *(({"step": wrong}, "step", "") for wrong in (0, "NaN")),
            ({"mechanism": {"name": "landmark-uniform", "epsilon": 1, "radius_m": 200}}, "mechanism.name", ""),
            ({"mechanism": MECHANISM | {"epsilon": "1,5"}}, "mechanism.epsilon", ""),
            ({"mechanism": MECHANISM | {"name": "stream-rescuedp"}}, "mechanism", ""),
            ({"mechanism": MECHANISM | {"name": "stream-adapub", "mode": "text"}}, "mechanism", ""),
        ):
            answer = owner_api.post(STREAMS, described(**changed))
            assert refused(answer) == (400, field), str(changed)[:80]
            assert message in first_error(answer)["message"]
        assert not LiveStream.objects.exists()


class TestStates:
    def test_pause_resume_close(self, owner_api):
        url = opened(owner_api)
        publish(owner_api, url, event(1, 1, 1), key="a")
        for action, state, status in (("pause", "paused", 409), ("resume", "open", 201), ("close", "closed", 409)):
            assert owner_api.post(f"{url}{action}/").json()["state"] == state
            assert publish(owner_api, url, event(2, 1, 1)).status_code == status
            if state == "paused":  # known keys too
                assert refused(publish(owner_api, url, event(1, 1, 1), key="a")) == (409, "stream")
        assert owner_api.post(f"{url}resume/").status_code == 409
        assert owner_api.get(url).json()["published"] == 2
        assert LiveStream.objects.get().publisher is None  # which may hold counts

    def test_an_estimate_that_is_not_finite_is_not_published(self, owner_api, monkeypatch):
        url = opened(owner_api, mechanism=MECHANISM | {"name": "stream-shrink"})
        publish(owner_api, url, event(1, 5, 6))
        before = LiveStream.objects.values().get()
        owner_api.raise_request_exception = False
        monkeypatch.setattr("privacy_engine.mechanisms.stream.shrink._Shrink._rows", lambda _, counts: counts / 0.0)
        with np.errstate(all="ignore"):
            assert publish(owner_api, url, event(2, 5, 6)).status_code == 500
        assert LiveStream.objects.values().get() == before
        assert len(published(owner_api, url)) == 1

    def test_a_key_opens_one_stream_and_only_what_published_nothing_can_be_deleted(self, owner_api):
        url = opened(owner_api)
        publish(owner_api, url, event(1, 1, 1))
        assert owner_api.delete(url).status_code == 409
        assert owner_api.delete(opened(owner_api)).status_code == 204
        assert LiveStream.objects.count() == 1
        answers = [owner_api.post(STREAMS, described(), HTTP_IDEMPOTENCY_KEY="k") for _ in range(2)]
        assert [one.status_code for one in answers] == [201, 200]
        assert answers[0].json()["id"] == answers[1].json()["id"]
        assert owner_api.post(STREAMS, described(step=2), HTTP_IDEMPOTENCY_KEY="k").status_code == 409


class TestDownloads:
    def test_what_was_published_so_far_with_its_label(self, owner_api):
        url = opened(owner_api)
        assert owner_api.get(f"{url}data/").getvalue().startswith(b"time,north,south")  # of nothing: no rows
        publish(owner_api, url, *(event(f"2026-01-0{t}", 5, 6) for t in range(1, 6)))
        bodies = {fmt: owner_api.get(f"{url}data/", {"format": fmt}).getvalue() for fmt in ("parquet", "csv")}
        for fmt, body in bodies.items():
            assert verify(body, f"published.{fmt}").holds, fmt
        lines, rows = list(csv.reader(io.StringIO(bodies["csv"].decode()))), published(owner_api, url)
        assert [line[0] for line in lines[1:]] == [row["time"] for row in rows]
        assert [[float(cell) for cell in line[1:3]] for line in lines[1:]] == [row["counts"] for row in rows]

    def test_many_dimensions_are_listed_in_several_responses(self, owner_api, monkeypatch):
        monkeypatch.setattr("dashboard.streams.selectors.MOST_COUNTS", 7)
        url = opened(owner_api)
        publish(owner_api, url, *(event(t, 1, 2) for t in range(5)))
        assert [row["position"] for row in published(owner_api, url)] == [0, 1, 2]
        rest = owner_api.get(f"{url}events/", {"after": 3}).json()
        assert ([row["position"] for row in rest["results"]], rest["published"]) == ([3, 4], 5)


class TestLive:
    def messages(self, answer):
        body = b"".join(answer.streaming_content).decode()
        return [json.loads(line[6:]) for line in body.splitlines() if line.startswith('data: {"position"')]

    def test_sends_what_was_published_from_a_position_on(self, owner_api):
        url = opened(owner_api)
        publish(owner_api, url, *(event(t, 1, 2) for t in range(5)))
        owner_api.post(f"{url}close/")
        answer = owner_api.get(f"{url}live/", {"after": 2}, HTTP_ACCEPT="text/event-stream")
        assert answer.headers["Content-Type"] == "text/event-stream"
        assert [one["position"] for one in self.messages(answer)] == [2, 3, 4]
        assert [one["position"] for one in self.messages(owner_api.get(f"{url}live/", HTTP_LAST_EVENT_ID="4"))] == [4]

    def test_sends_the_state_and_the_end(self, owner_api, monkeypatch):
        monkeypatch.setattr(live, "LOOK_S", 0.0)
        url = opened(owner_api)
        publish(owner_api, url, event(1, 1, 2))
        row = LiveStream.objects.get()
        found = iter(live.connect(row, 0))
        assert next(found) == b"retry: 1000\n\n"
        assert next(found).startswith(b"id: 1\n")
        assert next(found) == b'event: state\ndata: {"state":"open","window_spent":0.25}\n\n'
        owner_api.post(f"{url}pause/")
        assert b'"paused"' in next(found)
        row.delete()
        assert next(found) == b"event: gone\ndata: {}\n\n"
        assert list(found) == []

    def test_connections_look_once_for_all_and_read_what_is_kept_no_longer(
        self, owner_api, monkeypatch, django_assert_num_queries
    ):
        monkeypatch.setattr(live, "KEPT", 2)
        url = opened(owner_api)
        row = LiveStream.objects.get()
        first, *others = [iter(live.connect(row, 0)) for _ in range(4)]
        assert [next(one)[:5] for one in (first, *others)] == [b"retry"] * 4
        monkeypatch.setattr(live, "LOOK_S", 0.0)
        assert next(first).startswith(b"event: state")
        publish(owner_api, url, *(event(t, 1, 2) for t in range(5)))
        found = [next(first)]
        monkeypatch.setattr(live, "LOOK_S", 60.0)
        with django_assert_num_queries(len(others)):  # of the three that are kept no longer
            assert [[next(one) for _ in range(3)] for one in others] == [found + [next(first) for _ in range(2)]] * 3
        assert found[0].startswith(b"id: 1\ndata: ")

    def test_the_image_has_a_thread_for_each_connection_and_each_request(self):
        requests = re.search(
            r"^REQUESTS = (\d+)$", (settings.BASE_DIR / "dashboard/config/wsgi.py").read_text(), re.MULTILINE
        )
        threads = re.search(r'"--threads", "(\d+)"', (settings.BASE_DIR / "Dockerfile").read_text())
        assert int(threads[1]) == live.MOST_CONNECTIONS + int(requests[1])

    def test_more_connections_than_there_are_places_are_refused(self, owner_api, monkeypatch):
        url = opened(owner_api)
        row, most = LiveStream.objects.get(), 3
        monkeypatch.setattr(live, "_places", threading.BoundedSemaphore(most))
        for _ in range(most + 1):
            answer = owner_api.head(f"{url}live/")  # takes no place
            assert (answer.status_code, answer.streaming) == (200, False)
            assert live.connect(row, 0) is not None  # is never sent, and gives its place back
            gc.collect()
        connected = [live.connect(row, 0) for _ in range(most)]
        assert None not in connected
        too_many = owner_api.get(f"{url}live/")
        assert (too_many.status_code, too_many.headers["Retry-After"]) == (429, "5")
        for close in [close for one in connected for close in one._resource_closers] * 2:  # twice frees one place
            close()
        freed = [live.connect(row, 0) for _ in range(most + 1)]
        assert [one is None for one in freed] == [False] * most + [True]
        for one in freed[:-1]:
            one._resource_closers[0]()


@pytest.mark.django_db(transaction=True)
def test_of_the_same_timestamp_sent_by_four_clients_at_once_one_is_published():
    owner = User.objects.create_user("owner")
    url = opened(client_of(owner))
    sent = at_once(4, lambda _: [publish(client_of(owner), url, event(t, t, t)) for t in range(10)])
    answers = [one for of_a_client in sent for one in of_a_client]
    assert {one.status_code for one in answers} <= {201, 409}
    made = [one.json()["results"][0] for one in answers if one.status_code == 201]
    assert len(made) == 10
    rows = published(client_of(owner), url)
    assert [row["time"] for row in rows] == [str(t) for t in range(10)]
    made += [first_error(one)["published"][0] for one in answers if one.status_code == 409]
    assert len({(one["time"], str(np.array(one["counts"], float))) for one in made}) == 10
    WindowLedger(1.0, 4).spend_all(np.array([row["budget"] for row in rows]))
