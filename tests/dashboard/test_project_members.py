"""Projects: their members, what deletion leaves, and what lists cost."""

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.projects import services
from dashboard.projects.models import Membership, Project, Role
from dashboard.releases.models import Release
from dashboard.streams.models import LiveStream
from dashboard.streams.services import open_stream
from privacy_engine.spec import ReleaseSpec
from tests.dashboard import kinds
from tests.dashboard.api_helpers import refused
from tests.dashboard.conftest import client_of
from tests.dashboard.project_helpers import DATASETS, PROJECTS, url


class TestMembers:
    def test_is_added_by_name_with_a_role_and_changed_and_removed(self, lead, project):
        User.objects.create_user("Ada")
        api = client_of(lead)
        made = api.post(url(project, "members/"), {"user": "Ada", "role": "viewer"})
        assert made.status_code == 201
        assert made["Location"] == made.json()["urls"]["self"]
        assert [one["user"] for one in api.get(url(project, "members/")).json()] == ["owner", "Ada"]
        assert api.patch(made["Location"], {"role": "editor"}).json()["role"] == "editor"
        assert api.get(PROJECTS).json()["results"][0]["members"] == 2
        assert api.delete(made["Location"]).status_code == 204
        assert api.get(made["Location"]).status_code == 404

    def test_refuses_with_the_reason(self, lead, project, stranger):
        User.objects.create_user("gone", is_active=False)
        for user, role, status, field in (
            ("unknown", "viewer", 400, "user"),
            ("gone", "viewer", 400, "user"),
            ("lead", "viewer", 400, "user"),
            ("owner", "viewer", 409, "user"),
            ("stranger", "owner", 400, "role"),
        ):
            answer = client_of(lead).post(url(project, "members/"), {"user": user, "role": role})
            assert refused(answer) == (status, field), user
        assert Membership.objects.count() == 1

    def test_names_cannot_be_found_by_trying_and_known_ones_do_not_count(self, lead, project, stranger):
        for i in range(services.NAMES_TRIED + 1):
            User.objects.create_user(f"student{i}")
            services.add_member(project=project, username=f"student{i}", role=Role.VIEWER)
        assert project.memberships.count() == services.NAMES_TRIED + 2
        api, page = client_of(lead), Client()
        tried = [api.post(url(project, "members/"), {"user": f"name{i}", "role": "viewer"}) for i in range(21)]
        assert [one.status_code for one in tried] == [400] * services.NAMES_TRIED + [429]
        known = api.post(url(project, "members/"), {"user": "stranger", "role": "viewer"})
        assert (known.status_code, int(known["Retry-After"]) > 0) == (429, True)
        page.force_login(lead)
        assert "Try again in" in page.post(project.page_url, {"user": "stranger", "role": "viewer"}).content.decode()

    def test_a_member_leaves_and_takes_own_rows_along(self, owner_api, owner, shared_dataset, lead, member):
        viewer, mine = member("viewer"), Membership.objects.get(user=owner)
        assert client_of(viewer).delete(f"/api/v1/members/{mine.pk}/").status_code == 403
        assert owner_api.delete(f"/api/v1/members/{mine.pk}/").status_code == 204
        shared_dataset.refresh_from_db()
        assert shared_dataset.project_id is None
        assert client_of(lead).get(url(shared_dataset)).status_code == 404
        assert owner_api.get(url(shared_dataset)).status_code == 200


class TestDeletion:
    def test_of_a_project_leaves_the_rows_to_their_owners(self, shared_dataset, lead, owner_api, project):
        assert client_of(lead).delete(url(project)).status_code == 204
        assert not Membership.objects.exists()
        shared_dataset.refresh_from_db()
        assert shared_dataset.project_id is None
        assert owner_api.get(url(shared_dataset)).status_code == 200
        assert client_of(lead).get(url(shared_dataset)).status_code == 404

    def test_of_accounts(self, shared_dataset, owner, owner_api, lead, member, body):
        editor = member("editor")
        assert client_of(editor).post("/api/v1/releases/", body).status_code == 201
        editor.delete()
        assert (Release.objects.count(), Membership.objects.count()) == (1, 1), "what they made of others' data stays"
        lead.delete()
        assert not Project.objects.exists()
        assert owner_api.get(url(shared_dataset)).json()["project"] is None

    def test_of_the_account_of_the_rows_owner_takes_them(self, shared_dataset, owner, project):
        LandmarkSet.objects.all().delete()
        owner.delete()
        assert not Dataset.objects.exists()
        assert Project.objects.get() == project


class TestCost:
    def test_lists_take_as_many_queries_for_one_row_as_for_many(self, owner, lead, project, shared_dataset, client):
        viewer = User.objects.create_user("viewer")
        services.add_member(project=project, username="viewer", role=Role.VIEWER)
        client.force_login(viewer)
        api = client_of(viewer)
        addresses = ["/", "/projects/", project.page_url, "/experiments/", "/streams/", f"/?project={project.pk}"]
        spec = ReleaseSpec.parse({"mechanism": kinds.STREAM})
        stream, _ = open_stream(owner=owner, name="Counts", dimensions=["a"], spec=spec)
        services.move_row(user=owner, row=stream, project=project.pk)
        found = []
        for more in (0, 15):
            for i in range(more):
                each = services.create_project(owner=lead, name=f"Project {i}")
                services.add_member(project=each, username="viewer", role=Role.VIEWER)
                for place in (project, each):
                    over = {"state": shared_dataset.state, "finished_at": shared_dataset.finished_at, "points": 1}
                    columns = dict.fromkeys(("points_file", "content_digest"), "x") | over
                    Dataset.objects.create(owner=owner, name=f"Run {i}", project=place, **columns)
                    columns = {"spec": {"mechanism": kinds.STREAM}, "mechanism": "stream-uniform", "dimensions": ["a"]}
                    LiveStream.objects.create(owner=owner, name="x", project=place, **columns)
            Dataset.objects.update(thumbnail="M0 0")
            counts = []
            for address in (*addresses, PROJECTS, DATASETS, "/api/v1/streams/"):
                with CaptureQueriesContext(connection) as queries:
                    assert (api if "/api/" in address else client).get(address).status_code == 200
                counts.append(len(queries))
            found.append(counts)
        assert found[0] == found[1]

    @pytest.mark.django_db(transaction=True)
    @pytest.mark.parametrize(("app", "number"), [("datasets", "0013"), ("experiments", "0006"), ("streams", "0002")])
    def test_the_column_is_added_without_copying_the_table(self, app, number, capsys):
        call_command("sqlmigrate", app, number)
        sql = capsys.readouterr().out
        assert "ADD COLUMN" in sql
        assert "CREATE TABLE" not in sql
        assert "IS NOT NULL" in sql  # the index has the rows in projects alone
