"""``manage.py --help``: Django's list of commands, without the modules that only running commands need."""

import pytest

from tests.server import python

WITH_MODELS = "from django.core.management import execute_from_command_line as run; run(['manage.py', '--help'])"


def _output(*command):
    found = python(*command)
    assert found.returncode == 0, found.stderr
    return found.stdout, found.stderr


@pytest.mark.slow
def test_is_what_django_lists_with_models_and_loads_no_engine():
    expected, _ = _output("-c", WITH_MODELS)
    listed, imports = _output("-X", "importtime", "manage.py", "--help")
    assert listed == expected
    assert "    verify" in listed
    loaded = {line.rpartition("|")[2].strip() for line in imports.splitlines()}
    assert "django.core.management" in loaded
    assert not loaded & {"numpy", "pyarrow", "pydantic", "scipy", "numba", "privacy_engine.core", "rest_framework"}
