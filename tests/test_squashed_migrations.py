"""The squashed migrations make what those that they replace make, on both databases."""

import json

import pytest

from tests import postgres
from tests.installations import Cairn, fresh_database

pytestmark = pytest.mark.slow
WAYS = ("squashed", "chain")


def migrated(cairn, how):
    done = cairn.python("-m", "tests.earlier_migrations", how)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_make_the_same(database, tmp_path):
    if database == "sqlite":
        squashed, chain = (migrated(Cairn(tmp_path / how), how) for how in WAYS)
    elif (programs := postgres.programs()) is None:
        pytest.skip("PostgreSQL is not installed here")
    else:
        with postgres.cluster(programs) as url:
            squashed, chain = (migrated(Cairn(tmp_path / how, fresh_database(url, how)), how) for how in WAYS)
    one, other = squashed["schema"], chain["schema"]
    assert len(one) > 30
    assert [name for name in one | other if one.get(name) != other.get(name)] == []
    assert squashed["applied"] == chain["applied"]
