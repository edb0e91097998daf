"""What a web server leaves to its computing process: every operation and every page does without kernels and scipy."""

import pickle
import re
import sys
from contextlib import contextmanager

import pytest
from django.contrib.auth import get_user_model

from dashboard.core import computing
from dashboard.datasets.models import Dataset
from dashboard.publications.trajectory import public
from dashboard.storage import data_files
from tests.dashboard import test_access_matrix as matrix
from tests.dashboard import test_every_page as pages
from tests.dashboard.conftest import client_of
from tests.dashboard.test_made_ahead import large_from

pytestmark = pytest.mark.django_db
HIDDEN = re.compile(r"(numba|llvmlite|scipy|privacy_engine\.kernels)(\.|$)")


class NotFound:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if HIDDEN.match(name):
            raise ModuleNotFoundError(f"{name} is not for web servers", name=name)


@contextmanager
def in_web_server(is_one=True):
    """As in the process of a web server, or for its calls as in the computing one."""
    hidden = {name: sys.modules.pop(name) for name in list(sys.modules) if HIDDEN.match(name)} if is_one else {}
    before, computing._Process.used = computing._Process.used, is_one
    finders = list(sys.meta_path)
    sys.meta_path[:] = [NotFound, *finders] if is_one else [one for one in finders if one is not NotFound]
    try:
        yield
    finally:
        sys.meta_path[:], computing._Process.used = finders, before
        sys.modules.update(hidden)


@pytest.fixture
def called(monkeypatch):
    """The names of the functions that a web server leaves to its computing process; they are called at once."""
    names, loaded = set(), {name: module for name, module in sys.modules.items() if HIDDEN.match(name)}

    def outcome(message):
        function, args, kwargs = pickle.loads(message)
        names.add(function.__name__)
        sys.modules.update(loaded)
        try:
            with in_web_server(is_one=False):
                found = function(*args, **kwargs)
        except Exception as error:
            raise pickle.loads(computing.pickled(error)) from None
        finally:
            loaded.update({name: sys.modules.pop(name) for name in list(sys.modules) if HIDDEN.match(name)})
        return found if hasattr(found, "fileno") else pickle.loads(computing.pickled(found))

    monkeypatch.setattr(computing, "_outcome", outcome)
    return names


@pytest.mark.timeout(600)
@pytest.mark.parametrize("large", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_every_operation_and_every_page(made, called, monkeypatch, large):
    if large:
        large_from(monkeypatch, 1)
        monkeypatch.setattr(public, "LARGE", 1)
        monkeypatch.setattr(data_files, "LARGE_BYTES", 1)
        monkeypatch.setattr(Dataset, "is_large", True)
    api, rows = client_of(get_user_model().objects.get(username="owner")), made.rows
    with in_web_server():
        matrix.check(api, made, False, "owner")
        pages.test_pages_are_whole_for_their_owner(rows | {"published": rows["publications"]})
    assert called >= {"_curves", "_publish_once", "_read_now", "forecast_releases", "preview_json", "public"}
    assert ("events_json" in called) == large
    assert (len(called) > 30) == large, called
