"""Detection of jumps and low signals in released counts over the API."""

import pytest

from tests.dashboard import kinds
from tests.dashboard.api_helpers import RELEASES, first_error
from tests.dashboard.kinds import STREAM, made, released

COUNTS = kinds.counts()


@pytest.fixture
def stream(owner_api):
    """The owner's counts."""
    return made(owner_api, kinds.wide(COUNTS))


class TestDetection:
    def test_is_perfect_without_noise_and_the_owners_alone(self, owner_api, stranger_api, stream):
        row = released(owner_api, stream, STREAM | {"epsilon": 1e4})
        url = f"{RELEASES}{row['id']}/detection/"
        query = {"event": "jump", "length": 2, "threshold": 20_000}
        curve = owner_api.get(url, query).json()["curve"]
        jumps = (abs(COUNTS[2:] - COUNTS[:-2]) >= 20_000).sum()
        assert (curve["area"], curve["positives"]) == (1.0, jumps)
        none = owner_api.get(url, query | {"event": "low-signal", "threshold": 0}).json()
        assert none == {"curve": None, "positives": 0, "negatives": COUNTS.size}
        every = owner_api.get(url, query | {"threshold": 0}).json()
        assert every == {"curve": None, "positives": COUNTS[2:].size, "negatives": 0}
        assert stranger_api.get(url, query).status_code == 404

    @pytest.mark.parametrize(
        ("changed", "field"),
        [({"event": "peak"}, "event"), ({"length": 0}, "length"), ({"threshold": "1,5"}, "threshold")],
    )
    def test_bad_queries_name_the_field(self, owner_api, stream, changed, field):
        row = released(owner_api, stream, STREAM)
        answer = owner_api.get(f"{RELEASES}{row['id']}/detection/", {"event": "jump", "threshold": 5} | changed)
        assert (answer.status_code, first_error(answer)["field"]) == (400, field)

    def test_a_length_beyond_the_stream_is_refused(self, owner_api, stream):
        row = released(owner_api, stream, STREAM)
        answer = owner_api.get(f"{RELEASES}{row['id']}/detection/", {"event": "jump", "threshold": 5, "length": 40})
        assert (answer.status_code, first_error(answer)["field"]) == (400, "length")
        rule = "below 40, the number of timestamps of the stream"
        assert first_error(answer)["message"] == f"length must be {rule}, got 40"
