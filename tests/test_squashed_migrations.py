"""The squashed migrations make what those that they replace make, on both databases."""

import json

import pytest

from tests import postgres
from tests.installations import Cairn, fresh_database

pytestmark = pytest.mark.slow


def migrated(cairn, how):
    done = cairn.python("-m", "tests.earlier_migrations", how)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def differences(one, other):
    return {table: (one.get(table), other.get(table)) for table in one | other if one.get(table) != other.get(table)}


def test_sqlite(tmp_path):
    squashed, chain = (migrated(Cairn(tmp_path / how), how) for how in ("squashed", "chain"))
    assert len(squashed["schema"]) > 30
    assert differences(squashed["schema"], chain["schema"]) == {}
    assert squashed["applied"] == chain["applied"]


def test_postgresql(tmp_path):
    programs = postgres.programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed here")
    with postgres.cluster(programs) as url:
        squashed, chain = (
            migrated(Cairn(tmp_path / how, fresh_database(url, how)), how) for how in ("squashed", "chain")
        )
    assert differences(squashed["schema"], chain["schema"]) == {}
    assert squashed["applied"] == chain["applied"]
