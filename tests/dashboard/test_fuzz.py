"""Generated requests about things that exist: responses are those of the schema, and what it forbids is refused."""

import contextlib

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.core.failures import FailureGroup
from schemathesis.core.parameters import ParameterLocation

from dashboard.accounts import services as accounts
from dashboard.accounts.models import AttemptCount
from tests.dashboard.rows import rows_of
from tests.examples import examples

# real transactions: a request through the application ends the connections of the thread
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.django_db(transaction=True)]


@pytest.fixture
def known(owner, ready_dataset):
    return rows_of(owner, ready_dataset)


@schemathesis.serializer("application/offset+octet-stream")
def _as_it_is(_, value):
    """A piece of a file."""
    return value if isinstance(value, bytes) else str(value).encode()


RULES = ["400", "413", "422"]  # of what a schema does not state: an event exists, a budget suffices, a file is readable
CHECKS = {"positive_data_acceptance": ["2xx", "304", "401", "404", "409", *RULES], "negative_data_rejection": ["4xx"]}
CONFIG = {"checks": {name: {"expected-statuses": statuses} for name, statuses in CHECKS.items()}}  # tus has 412 and 460
HYPOTHESIS = {"deadline": None, "database": None, "derandomize": True, "suppress_health_check": list(HealthCheck)}
NAMES = {"mechanism": "landmark-skip", "method": "stay-points", "preset": "temporal-distance", "attack": "home-work"}
LISTED = {"mechanisms": "landmark-skip", "postprocess": "ou-smoother", "cleaning": "drop-repeats"}


def served(environ, start_response):
    """The application, its responses closed as a server closes them (which releases uploads)."""
    from dashboard.config.wsgi import handler  # takes half a second that collection need not

    with contextlib.closing(handler(environ, start_response)) as answer:
        return [b"".join(answer)]


def aim(case, known):
    for name in {"id", "pk"} & set(case.path_parameters or {}):
        case.path_parameters[name] = known[case.path.split("/")[3]]
    if not isinstance(case.body, dict):
        return
    ids = {"dataset": known["datasets"], "landmark_set": known["landmark-sets"], "release": known["releases"]}
    case.body |= {name: value for name, value in ids.items() if name in case.body}
    dummies = {"method": "dummies-heuristic"} if "/dummies/" in case.path else {}
    for field, name in (NAMES | dummies).items():
        if isinstance(case.body.get(field), dict):
            case.body[field]["name"] = name
    for field, name in LISTED.items():
        if isinstance(case.body.get(field), list):
            case.body[field] = [one | {"name": name} if isinstance(one, dict) else one for one in case.body[field]]


@pytest.mark.parametrize(
    "number", [pytest.param(10, id="few"), pytest.param(50, id="many", marks=pytest.mark.thorough)]
)
@pytest.mark.parametrize("mode", list(GenerationMode))
def test_every_answer_is_one_the_schema_describes(owner, known, mode, number):
    """All checks of schemathesis, for requests that the schema allows and for those that it does not."""
    token = accounts.make_token(user=owner)[1]
    headers = {"Authorization": f"Token {token}", "Accept-Encoding": "identity"}
    config = schemathesis.Config.from_dict(CONFIG)
    schema = schemathesis.openapi.from_wsgi("/api/v1/schema/?format=json", served, headers=headers, config=config)
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) > 100
    failures = []
    tried = 0
    for operation in operations:
        if operation.method.upper() == "DELETE":
            continue

        @settings(max_examples=examples(number), **HYPOTHESIS)
        @given(case=operation.as_strategy(generation_mode=mode))
        def attempt(case):
            if mode.is_positive or not case.meta.is_negative_at(ParameterLocation.PATH):
                aim(case, known)
            AttemptCount.objects.all().delete()  # or most requests with names of users would be refused unseen
            case.call_and_validate(headers=headers)

        try:
            attempt()
            tried += 1
        except Unsatisfiable:  # an operation without parameters has no wrong ones
            pass
        except FailureGroup as group:
            failures += [f"{operation.label}: {one}" for one in group.exceptions]
    assert not failures, "\n\n".join(failures)
    assert tried > 80
