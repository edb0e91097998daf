"""A project with the owner of the data as an editor, and its members."""

import pytest

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.experiments.models import Experiment
from dashboard.projects import services
from dashboard.projects.models import Project, Role
from dashboard.streams.models import LiveStream

PROJECTS = "/api/v1/projects/"
DATASETS = "/api/v1/datasets/"


@pytest.fixture
def lead(db):
    return User.objects.create_user("lead")


@pytest.fixture
def project(lead, owner):
    made = services.create_project(owner=lead, name="Taxis")
    services.add_member(project=made, username="owner", role=Role.EDITOR)
    return made


@pytest.fixture
def shared_dataset(owner, project, ready_dataset):
    services.move_row(user=owner, row=ready_dataset, project=project.pk)
    return ready_dataset


@pytest.fixture
def member(project):
    """``member("editor")``: another user with that role."""

    def make(role):
        user = User.objects.create_user(role)
        services.add_member(project=project, username=role, role=role)
        return user

    return make


def url(row, rest=""):
    names = {Dataset: "datasets", Experiment: "experiments", LiveStream: "streams", Project: "projects"}
    return f"/api/v1/{names[type(row)]}/{row.pk}/{rest}"
