"""Projects: who reads and changes what, members, moving rows, what deletion leaves, and what lists cost."""

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dashboard.accounts.models import User
from dashboard.datasets.models import Budget, BudgetEntry, Dataset
from dashboard.datasets.services import delete_dataset
from dashboard.experiments.models import Experiment
from dashboard.experiments.services import submit_experiment
from dashboard.landmarks.models import LandmarkSet
from dashboard.projects import services
from dashboard.projects.access import may, models_in_projects, role_of
from dashboard.projects.models import Membership, Project, Role
from dashboard.publications.models import Publication
from dashboard.publications.services import publish_release
from dashboard.releases.models import Release
from dashboard.streams.models import LiveStream
from privacy_engine.experiments import presets
from tests.cases import refreshed
from tests.dashboard import kinds
from tests.dashboard.api_helpers import refused
from tests.dashboard.conftest import client_of
from tests.dashboard.project_helpers import DATASETS, PROJECTS, url
from tests.dashboard.test_lineage import csv, imported, lines


class TestAccess:
    @given(data=st.data())
    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_lists_follow_from_the_roles_in_any_project(self, db, data):
        """For each user and row: it is visible with any role, and changeable with that of an editor or owner."""
        Project.objects.all().delete()
        User.objects.all().delete()
        users = [User.objects.create_user(f"user {i}") for i in range(3)]
        projects = [Project.objects.create(owner=data.draw(st.sampled_from(users)), name=f"{i}") for i in range(2)]
        for one in projects:
            for user in users:
                role = data.draw(st.sampled_from([None, Role.VIEWER, Role.EDITOR]))
                if role and user != one.owner:
                    Membership.objects.create(project=one, user=user, role=role)
        made = []
        for _ in range(3):
            drawn = {
                "owner": data.draw(st.sampled_from(users)),
                "project": data.draw(st.sampled_from([None, *projects])),
            }
            made.append(LiveStream.objects.create(name="x", dimensions=["a"], spec={}, **drawn))
        for user in users:
            assert set(LiveStream.objects.visible_to(user)) == {row for row in made if role_of(user, row)}
            assert set(LiveStream.objects.changeable_by(user)) == {row for row in made if may(user, row, Role.EDITOR)}
            for row in made:
                members = {one.user_id: one.role for one in row.project.memberships.all()} if row.project else {}
                owners = {row.owner_id} | ({row.project.owner_id} if row.project else set())
                expected = Role.OWNER if user.pk in owners else members.get(user.pk, "")
                assert role_of(user, row) == expected

    def test_a_removed_member_loses_access_at_once(self, shared_dataset, member, project, client):
        viewer = member("viewer")
        api = client_of(viewer)
        with CaptureQueriesContext(connection) as queries:
            assert api.get(url(shared_dataset)).status_code == 200
        assert sum("projects_membership" in one["sql"] for one in queries) == 1, "roles are read once in a request"
        client.force_login(viewer)
        services.remove_member(membership=Membership.objects.get(user=viewer))
        pages = [f"/datasets/{shared_dataset.pk}/", f"/datasets/{shared_dataset.pk}/compare/", project.page_url]
        assert [client.get(page).status_code for page in pages] == [404] * 3
        assert [api.get(one).status_code for one in (url(shared_dataset), url(project))] == [404] * 2


class TestWork:
    def test_a_release_of_an_editor_is_the_owners_and_charged_to_the_upload(self, shared_dataset, owner, member, body):
        apis = [client_of(member("editor")), client_of(owner)]
        assert apis[0].post("/api/v1/releases/", body, headers={"Idempotency-Key": "once"}).status_code == 201
        alone = Budget.objects.get().spent
        keyed = [api.post("/api/v1/releases/", body, headers={"Idempotency-Key": "once"}) for api in apis * 2]
        ids = [one.json()["id"] for one in keyed]
        assert (ids[:2] == ids[2:], ids[0] != ids[1]) == (True, True), "keys are each user's own"
        budget = Budget.objects.get()
        assert (budget.spent, budget.lineage.owner_id) == (2 * alone, owner.pk)
        assert [one.amount for one in BudgetEntry.objects.all()] == [alone, alone]
        assert {one.owner_id for one in Release.objects.all()} == {owner.pk}

    def test_an_editor_reaches_the_limit_that_the_owner_alone_sets(self, shared_dataset, owner, lead, member, body):
        budget = {"budget": {"epsilon": 1.5, "radius_m": 200.0}}
        editor = client_of(member("editor"))
        refused = editor.patch(url(shared_dataset), budget)
        assert refused.status_code == 403
        assert client_of(lead).patch(url(shared_dataset), {"budget": None}).status_code == 403
        assert client_of(lead).post(url(shared_dataset, "lineage/"), {}).status_code == 403
        assert refused.json()["detail"] == "Only owner, whom it belongs to, may set its budget."
        assert client_of(owner).patch(url(shared_dataset), budget).status_code == 200
        assert editor.post("/api/v1/releases/", body).status_code == 201
        assert editor.post("/api/v1/releases/", body).status_code == 409
        assert Release.objects.count() == 1

    def test_uploads_outside_the_project_are_not_shown(self, owner, project, member, client):
        named = ((60, "walk"), (59, "My holiday"))
        shared_dataset, other = (imported(owner, csv(lines(count=n)), name) for n, name in named)
        services.move_row(user=owner, row=shared_dataset, project=project.pk)
        viewer = member("viewer")
        client.force_login(viewer)
        pages = [client.get(f"/datasets/{shared_dataset.pk}/{rest}").content for rest in ("", "compare/")]
        known = client_of(viewer).get(url(shared_dataset, "lineage/"))
        assert not any(b"My holiday" in one or str(other.pk).encode() in one for one in (*pages, known.content))
        assert b"59 events shared" not in pages[0]
        assert (known.json()["others"], known.json()["recorded"]) == ([], [])
        own = client_of(owner).get(url(shared_dataset, "lineage/"))
        assert b"My holiday" in own.content
        assert (own.json()["others"][0]["shared_events"], len(own.json()["recorded"])) == (59, 1)
        services.move_row(user=owner, row=other, project=project.pk)
        assert client_of(viewer).get(url(shared_dataset, "lineage/")).json() == own.json()

    def test_an_experiment_on_a_dataset_is_in_its_project_and_its_owners(self, shared_dataset, owner, project, member):
        requested = {"dataset": str(shared_dataset.pk), "preset": {"name": "error-geolife", "repetitions": 1}}
        made = client_of(member("editor")).post("/api/v1/experiments/", requested)
        assert made.status_code == 201, made.content
        row = Experiment.objects.get()
        assert (row.owner_id, row.project_id) == (owner.pk, project.pk)

    def test_a_link_of_a_discarded_release_is_its_owners_alone(self, shared_dataset, done, owner, member):
        editor = member("editor")
        link = publish_release(release=done)
        assert Publication.objects.visible_to(editor).get() == link
        delete_dataset(dataset=shared_dataset)
        assert not Publication.objects.visible_to(editor).exists()
        assert Publication.objects.visible_to(owner).get() == link


def test_an_empty_project_leads_to_the_next_steps(
    project, lead, ready_dataset, make_dataset, paris_day, member, client
):
    mine = make_dataset(lead, paris_day, name="Mine")
    client.force_login(lead)
    text = client.get(project.page_url).content.decode()
    assert "Nothing is in it yet" in text
    assert f'href="/datasets/{mine.pk}/project/"' in text
    assert str(ready_dataset.pk) not in text  # another user's
    assert "Invite people" in text.split("Nothing is in it yet")[1].split("</section>")[0]
    assert client.get(f"/datasets/{mine.pk}/project/").status_code == 200
    client.force_login(member(Role.VIEWER))
    assert "Nothing is in it yet" not in client.get(project.page_url).content.decode()
    Dataset.objects.filter(pk=mine.pk).update(project=project)
    client.force_login(lead)
    assert "Nothing is in it yet" not in client.get(project.page_url).content.decode()


class TestMoving:
    def test_the_owner_of_a_row_puts_it_where_they_edit(self, owner, project, ready_dataset, stranger, member):
        api, to = client_of(owner), {"project": str(project.pk)}
        strange = services.create_project(owner=stranger, name="Not theirs")
        assert api.patch(url(ready_dataset), {"project": str(strange.pk)}).status_code == 404
        services.add_member(project=strange, username="owner", role=Role.VIEWER)
        refused = api.patch(url(ready_dataset), {"project": str(strange.pk)})
        assert refused.status_code == 403
        assert "You are a viewer of the project “Not theirs”." in refused.json()["detail"]
        assert api.patch(url(ready_dataset), to).json()["project"] == str(project.pk)
        editor = client_of(member("editor"))
        assert editor.patch(url(ready_dataset), {"project": None}).status_code == 403
        assert api.patch(url(ready_dataset), {"project": None}).json()["project"] is None
        assert editor.get(url(ready_dataset)).status_code == 404

    def test_the_owner_of_the_project_puts_nothing_of_others_elsewhere(self, lead, shared_dataset, owner_api):
        api = client_of(lead)
        own = services.create_project(owner=lead, name="Another")
        assert api.patch(url(shared_dataset), {"project": str(own.pk)}).status_code == 403
        assert api.patch(url(shared_dataset), {"project": None}).status_code == 200
        assert api.get(url(shared_dataset)).status_code == 404
        assert owner_api.get(url(shared_dataset)).json()["project"] is None

    def test_experiments_follow_their_dataset_unless_they_are_elsewhere(self, owner, project, ready_dataset):
        preset = presets.parse({"name": next(iter(presets.of("trajectory"))).registered_name(), "repetitions": 1})
        follows, stays = (submit_experiment(owner=owner, dataset=ready_dataset, preset=preset) for _ in range(2))
        elsewhere = services.create_project(owner=owner, name="Elsewhere")
        services.move_row(user=owner, row=stays, project=elsewhere.pk)
        services.move_row(user=owner, row=ready_dataset, project=project.pk)
        assert [refreshed(row).project_id for row in (follows, stays)] == [project.pk, elsewhere.pk]
        services.move_row(user=owner, row=ready_dataset, project=None)
        assert refreshed(follows).project_id is None

    def test_every_sort_of_row_can_be_moved_by_page_and_api(self, owner, project, ready_dataset, client):
        few = presets.parse({"name": "temporal-distance", "repetitions": 2})
        stream = kinds.live_stream(owner)
        rows = [ready_dataset, submit_experiment(owner=owner, preset=few), stream]
        assert {type(row) for row in rows} == set(models_in_projects())
        client.force_login(owner)
        for row in rows:
            page = f"{url(row).removeprefix('/api/v1')}project/"
            text = client.get(page).content.decode()
            assert "Taxis" in text
            assert row is not ready_dataset or "All members of the project can read the original" in text
            assert client.post(page, {"project": str(project.pk)})["Location"] == row.page_url
            assert refreshed(row).project_id == project.pk
            assert client_of(owner).patch(url(row), {"project": None}).status_code == 200
            assert refreshed(row).project_id is None
        client.force_login(project.owner)
        assert "reads <strong>the originals</strong>" in client.get(project.page_url).content.decode()


class TestMembers:
    def test_is_added_by_name_with_a_role_or_refused_with_the_reason(self, lead, project, stranger):
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

    def test_only_owners_of_a_project_remove_others_by_its_page(self, lead, owner, project, member, client):
        other = Membership.objects.get(user=owner)
        for user, status in ((member("viewer"), 403), (member("editor"), 403), (lead, 302)):
            client.force_login(user)
            assert client.post(reverse("projects:member-remove", args=[other.pk])).status_code == status, user
            assert Membership.objects.filter(pk=other.pk).exists() == (status == 403)

    def test_a_member_leaves_and_takes_own_rows_along(self, owner_api, owner, shared_dataset, lead, member):
        viewer, mine = member("viewer"), Membership.objects.get(user=owner)
        assert client_of(viewer).delete(f"/api/v1/members/{mine.pk}/").status_code == 403
        assert owner_api.delete(f"/api/v1/members/{mine.pk}/").status_code == 204
        assert refreshed(shared_dataset).project_id is None
        assert client_of(lead).get(url(shared_dataset)).status_code == 404
        assert owner_api.get(url(shared_dataset)).status_code == 200


class TestDeletion:
    def test_of_a_project_leaves_the_rows_to_their_owners(self, shared_dataset, lead, owner_api, project):
        assert client_of(lead).delete(url(project)).status_code == 204
        assert not Membership.objects.exists()
        assert refreshed(shared_dataset).project_id is None
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
        stream = kinds.live_stream(owner)
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
