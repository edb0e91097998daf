"""Live streams that cannot be opened: the messages state the field, its rule and the value."""

import pytest

from tests.dashboard.api_helpers import first_error
from tests.dashboard.test_live_streams import STREAMS, described


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"dimensions": []}, "dimensions must be 1 to 10,000 names, got 0"),
        ({"dimensions": ["a", ""]}, "dimensions.1 must be a name of 1 to 200 characters, got '' for dimension 2"),
        ({"dimensions": ["a", "n" * 201]}, f"dimensions.1 must be a name of 1 to 200 characters, got '{'n' * 79}…'"),
        ({"dimensions": ["a", "b", "a"]}, "dimensions.2 must be a name that differs from that of dimension 1"),
        ({"name": ""}, "name must be a text of 1 to 200 characters, got ''"),
    ],
)
def test_refusals_state_field_rule_and_value(owner_api, changed, message):
    assert message in first_error(owner_api.post(STREAMS, described(**changed)))["message"]
