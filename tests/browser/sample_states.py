"""Data of the tests and screenshots of every page: generated data in every state, and users without any."""

from datetime import date, timedelta
from uuid import uuid4

from django.core.files.base import ContentFile
from django.core.management import call_command
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice

from dashboard.account_data.services import request_export
from dashboard.accounts import second_factor
from dashboard.accounts.base_map import choose_base_map
from dashboard.accounts.models import Access, AccessEntry, Invitation, User
from dashboard.accounts.services import digest_of, make_token, show_tour
from dashboard.attacks.services import submit_attack
from dashboard.audits.services import submit_audit
from dashboard.datasets.aggregation import aggregate_dataset, stays_dataset
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset, set_budget
from dashboard.experiments.services import submit_experiment
from dashboard.jobs.models import State
from dashboard.landmarks.services import add_dummies, mark_landmarks
from dashboard.projects.models import Project, Role
from dashboard.projects.services import add_member, create_project, move_row
from dashboard.publications.services import publish_release
from dashboard.releases.services import derive_release
from dashboard.streams.models import StreamState
from dashboard.streams.services import change_state, open_stream, publish_events
from privacy_engine.aggregation import AggregationSpec
from privacy_engine.aggregation.stays import StaySpec
from privacy_engine.attacks import attacks
from privacy_engine.audit import AuditSpec
from privacy_engine.experiments import presets
from privacy_engine.postprocess import postprocesses
from privacy_engine.releases.spec import ReleaseSpec
from tests.browser.conftest import WALK, run_jobs
from tests.dashboard import kinds
from tests.dashboard.experiment_runs import work_off
from tests.dashboard.release_runs import submitted

RADII_M = {"walk": 1.0, "taxi": 2.0, "day in paris": 60.0}  # part of each sample's name
TRIO = ("landmark-skip", "landmark-uniform", "landmark-adaptive")
HOME_WORK = {"name": "home-work", "distance_m": 200.0, "duration_s": 1800.0, "within_m": 500.0}
CORNERS = [[2.3262, 48.8512], [2.3362, 48.8535], [2.3372, 48.8562], [2.3285, 48.8569], [2.3262, 48.8512]]
ZONES = [
    {"type": "Polygon", "coordinates": [CORNERS], "label": "Clinic"},
    {"type": "Circle", "center": [2.3585, 48.8567], "radius_m": 260.0, "label": "Home"},
]


SAMPLE_INVITATION, TO_PROJECT = "sample-invitation", "sample-invitation-to-project"
SAMPLE_PASSWORD = "a long walk along the Seine"


class SampleStates:
    """``researcher`` has everything, ``beginner`` one dataset and the built-in map, ``newcomer`` nothing.

    ``guarded`` logs in with a second factor.
    """

    def __init__(self):
        people = (User.objects.create_user(name) for name in ("researcher", "beginner", "newcomer"))
        self.researcher, self.beginner, self.newcomer = people
        choose_base_map(user=self.beginner, choice="built-in")
        call_command("loadsamples", "researcher", verbosity=0)
        rows = list(Dataset.objects.filter(sample=True))
        self.datasets = {part: next(row for row in rows if part in row.name.lower()) for part in RADII_M}
        self.walk, self.taxi, self.paris = self.datasets.values()
        self.first = import_dataset(owner=self.beginner, upload=ContentFile(WALK, name="walk.csv"), name="Walk")
        show_tour(user=self.researcher, shown=True)
        self.release_all()
        self.zones = self._marked("walk", {"name": "zones", "zones": ZONES}, "Clinic and home")
        coins = {"name": "dummies-one-sided", "epsilon": 1.0}
        self.stays = _given(self.taxi)
        self.dummies = add_dummies(owner=self.researcher, landmark_set=self.stays, method=coins)
        self.done = self.taxi.releases.get(mechanism="landmark-uniform")
        self.attack, _ = submit_attack(owner=self.researcher, release=self.done, attack=attacks.parse(HOME_WORK))

    def release_all(self):
        for part in self.datasets:
            for name in TRIO:
                self.release(part, name)
        run_jobs()

    def release(self, part, name, *, seed=None, **parameters):
        mechanism = {"name": name, "epsilon": 1.0, "radius_m": RADII_M[part], **parameters}
        return submitted(_given(self.datasets[part]), mechanism, seed)

    def add_every_state(self):
        """Beside what is done: what failed, what runs, what waits; an experiment, a smoothed release, a limit."""
        self.release("taxi", "w-event", window=12)
        self.release("taxi", "landmark-uniform", seed=7)
        derive_release(source=self.done, steps=[postprocesses.parse({"name": "ou-smoother"})])
        run_jobs()
        set_budget(dataset=self.taxi, epsilon=1000.0, radius_m=200.0)
        make_token(user=self.researcher, name="Notebook", scopes=["read"])
        error = {"code": "time-limit", "message": "The job took longer than one job may take."}
        _over(self.release("taxi", "event-level"), error=error)
        _begun(self.release("day in paris", "user-level"), stage="Drawing", progress=0.64)
        self.unread = self._upload("Field notes.csv")
        error = {"code": "memory", "message": "The job needed more memory than one job may use."}
        _over(self.unread, error=error, report=None, points_file="", content_digest="")
        self._experiment()
        self._audits()
        self._other_kinds()
        self._live_streams()
        self._publications()
        self._projects()
        self._people()
        self.reading = self._upload("Long way home.csv")
        _begun(self.reading, stage="Reading", progress=0.3)

    def _experiment(self):
        """One that is done, one half done, one that failed."""

        def submit(**changes):
            preset = presets.parse({"name": "correlated-loss", "repetitions": 40, "events": 60} | changes)
            return submit_experiment(owner=self.researcher, preset=preset)

        self.computing = submit(seed=2)
        work_off(3)
        _begun(self.computing, stage="Computing")
        self.computing.parts.all().delete()
        self.experiment, failed = submit(), submit(seed=3)
        _over(failed, error={"code": "crashed", "message": "The job stopped its worker 3 times and was given up."})
        run_jobs()

    def _audits(self):
        """One consistent, one violated, one that runs."""

        def submit(name):
            mechanism = {"name": name, "epsilon": 1.0, "radius_m": 200.0}
            return submit_audit(owner=self.researcher, spec=AuditSpec(mechanism=mechanism, trials=20_000, seed=1))

        self.audit, self.violated = submit("landmark-uniform"), submit("control:half-noise:landmark-uniform")
        run_jobs()
        self.auditing = submit("landmark-skip")
        _begun(self.auditing, stage="Drawing", progress=0.42)

    def _other_kinds(self):
        """Count streams and check-ins, each with its releases."""
        self.stream = self._of_kind("Visitors.csv", kinds.wide(kinds.counts()), kinds.STREAM, kinds.SAMPLE)
        rows = kinds.checkins(kinds.checkin_rows())
        self.checkins = self._of_kind("Check-ins.csv", rows, kinds.POPULARITY, kinds.RECORDS)
        city = [{"name": "checkin-popularity", "epsilon": epsilon} | kinds.CITY_BOX for epsilon in (1.0, 0.1)]
        self.city = self._of_kind("City check-ins.csv", kinds.city(), *city)
        self.unmodelled = self._of_kind("Check-ins of a week.csv", kinds.checkins(kinds.checkin_rows(seed=2)))
        box = [kinds.POPULARITY[side] for side in ("west", "south", "east", "north")]
        spec = AggregationSpec.parse({"cell_m": 2000.0, "step": "10min", "unit": "person", "most": 2, "box": box})
        self.counted = aggregate_dataset(dataset=self.checkins, spec=spec)
        self.visits = stays_dataset(dataset=self.taxi, spec=StaySpec(distance_m=300.0, duration_s=1800.0))
        weekly = {"epsilon": 1.0, "window": 52}
        names = ("stream-shrink", "stream-adapub", "stream-uniform", "stream-sample")
        visits = [{"name": name, **weekly} for name in names]
        self.clinics = self._of_kind("Clinic visits.csv", kinds.clinic_visits(), *visits)
        self.unreleased = self._of_kind("Visitors by hour.csv", kinds.wide(kinds.counts(seed=2)))
        run_jobs()

    def _publications(self):
        """A public link of a release of each kind."""

        def published(dataset, title):
            release = dataset.releases.filter(state=State.DONE).earliest("created_at")
            return publish_release(release=release, title=title)

        end = date(2126, 11, 22)
        self.public_trajectory = publish_release(release=self.done, title="A taxi’s day", expires_on=end)
        self.public_stream = published(self.clinics, "Visits to clinics")
        self.public_checkins = published(self.city, "Where a city meets")
        self.released_stream, self.released_checkins = self.public_stream.release, self.public_checkins.release

    def _projects(self):
        """One with rows of each sort, in which ``reviewer`` is a viewer, and one of another owner."""
        self.reviewer, lab = (User.objects.create_user(name) for name in ("reviewer", "lab"))
        self.project = create_project(owner=self.researcher, name="Visits to clinics, 2024")
        for name, role in (("lab", Role.EDITOR), ("reviewer", Role.VIEWER)):
            add_member(project=self.project, username=name, role=role)
        for row in (self.walk, self.clinics, self.experiment, self.live):
            move_row(user=self.researcher, row=row, project=self.project.pk)
        self.joined: Project = create_project(owner=lab, name="Taxis of Beijing")
        add_member(project=self.joined, username="researcher", role=Role.EDITOR)

    def _people(self):
        """A user with a second factor, and an invitation."""
        self.guarded = User.objects.create_user("guarded", password=SAMPLE_PASSWORD)
        TOTPDevice.objects.create(user=self.guarded, confirmed=True)
        second_factor.make_codes(user=self.guarded)
        _begun(request_export(owner=self.researcher), stage="Packing", progress=0.4)  # to wait, it needs a worker
        means = {"means": "session", "means_name": "Firefox 128 on Linux", "subject": "dataset"}
        read = {"access": Access.ORIGINAL, "operation": "dataset-track", "user_name": "researcher"}
        for name in ("Field notes.csv", "Long way home.csv"):
            about = {"owner": self.researcher, "user": self.researcher, "subject_id": uuid4(), "subject_name": name}
            AccessEntry.objects.create(**read, **means, **about)
        digest, end = digest_of(SAMPLE_INVITATION), timezone.now() + timedelta(days=7)
        Invitation.objects.create(digest=digest, invited_by=self.researcher, note="Grace", expires_at=end)
        of = {"invited_by": self.researcher, "project": self.project, "role": Role.EDITOR}
        Invitation.objects.create(digest=digest_of(TO_PROJECT), expires_at=end, **of)

    def _live_streams(self):
        """One that has published, one that has not and is paused."""

        def opened(name):
            spec = ReleaseSpec.parse({"mechanism": kinds.STREAM | {"window": 10}})
            return open_stream(owner=self.researcher, name=name, dimensions=kinds.NAMES, spec=spec, step=86_400.0)[0]

        self.live, self.silent = opened("Visitors by day"), opened("Visitors by hour")
        rows = enumerate(kinds.counts().tolist())
        publish_events(stream=self.live, events=[{"time": kinds.day(i), "counts": row} for i, row in rows])
        change_state(stream=self.silent, state=StreamState.PAUSED)

    def _of_kind(self, name, body, *releases):
        dataset = import_dataset(owner=self.researcher, upload=ContentFile(body, name=name))
        for mechanism in releases:
            submitted(dataset, mechanism)
        return dataset

    def _upload(self, name):
        return import_dataset(owner=self.researcher, upload=ContentFile(WALK, name=name))

    def _marked(self, part, method, name):
        return mark_landmarks(owner=self.researcher, dataset=self.datasets[part], method=method, name=name)


def _given(dataset):
    """The landmark set that a sample came with."""
    return dataset.landmark_sets.earliest("created_at")


def _over(job, **columns):
    _set(job, state=State.FAILED, finished_at=timezone.now(), **columns)


def _begun(job, **columns):
    """As if a worker held it: started a while ago, with a lease that no sweep takes away."""
    now = timezone.now()
    held = {"token": uuid4(), "lease_until": now + timedelta(days=1), "started_at": now - timedelta(seconds=20)}
    _set(job, state=State.RUNNING, finished_at=None, attempt=1, **held, **columns)


def _set(job, **columns):
    type(job)._default_manager.filter(pk=job.pk).update(**columns)
    job.refresh_from_db()
