"""The database that the dashboard's tests run on."""

import os

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection

from dashboard.accounts.models import User


@pytest.mark.django_db
def test_is_the_one_that_was_named():
    wanted = "postgresql" if os.environ.get("DATABASE_URL", "").startswith("postgres") else "sqlite"
    assert connection.vendor == wanted


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("time", ["first", "second"])
def test_is_empty_before_and_after_a_test_with_transactions_of_its_own(time):
    written = {ContentType, Permission}
    assert [model for model in apps.get_models() if model not in written and model._default_manager.exists()] == []
    assert all(model.objects.exists() for model in written)
    User.objects.create_user("owner")
