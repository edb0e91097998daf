"""Every address."""

from django.contrib.auth.decorators import login_not_required
from django.urls import include, path, re_path
from django.views.generic import TemplateView
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.routers import SimpleRouter

from dashboard.account_data.api import AccountExportViewSet
from dashboard.accounts.api import AccessViewSet, BaseMapView, MapFileView, SessionViewSet, own_tile
from dashboard.area_maps.api import AreaMapViewSet, area_tile
from dashboard.attacks.api import AttackMethodsView, AttackViewSet
from dashboard.audits.api import AuditViewSet
from dashboard.config import error_views
from dashboard.config.documentation import documentation
from dashboard.config.schema_view import SchemaView
from dashboard.core.templatetags.glossary import GLOSSARY
from dashboard.datasets.api import CleaningStepsView, DatasetViewSet
from dashboard.datasets.resumable_api import UploadsView, UploadView
from dashboard.experiments.api import ExperimentViewSet, GeneratorsView, MeasuresView, PresetsView
from dashboard.jobs.api import DismissView, JobsView
from dashboard.landmarks.api import (
    BudgetPlanView,
    DummyMethodsView,
    LandmarkMethodsView,
    LandmarkSetLossView,
    LandmarkSetViewSet,
)
from dashboard.maintenance import health
from dashboard.maps import tiles
from dashboard.projects.api import MemberViewSet, ProjectInvitationViewSet, ProjectViewSet
from dashboard.publications.api import PublicationViewSet, ReleasePublicationsView
from dashboard.releases.api import (
    BundleView,
    LabelSchemaView,
    MechanismsView,
    PostProcessesView,
    ReleaseBundleView,
    ReleaseViewSet,
)
from dashboard.streams.api import StreamViewSet

router = SimpleRouter(use_regex_path=False)
router.register("datasets", DatasetViewSet, basename="dataset")
router.register("landmark-sets", LandmarkSetViewSet, basename="landmark-set")
router.register("releases", ReleaseViewSet, basename="release")
router.register("experiments", ExperimentViewSet, basename="experiment")
router.register("area-maps", AreaMapViewSet, basename="areamap")
router.register("attacks", AttackViewSet, basename="attack")
router.register("audits", AuditViewSet, basename="audit")
router.register("streams", StreamViewSet, basename="stream")
router.register("publications", PublicationViewSet, basename="publication")
router.register("projects", ProjectViewSet, basename="project")
router.register("members", MemberViewSet, basename="member")
router.register("project-invitations", ProjectInvitationViewSet, basename="project-invitation")
router.register("account-exports", AccountExportViewSet, basename="accountexport")
router.register("access", AccessViewSet, basename="access")
router.register("sessions", SessionViewSet, basename="session")

api = [
    path("releases/bundle/", BundleView.as_view(), name="bundle"),  # before the router's releases/<anything>/
    path("releases/<uuid:pk>/bundle/", ReleaseBundleView.as_view(), name="release-bundle"),
    path("releases/<uuid:pk>/publications/", ReleasePublicationsView.as_view(), name="release-publications"),
    path("", include(router.urls)),
    path("uploads/", UploadsView.as_view(), name="uploads"),
    path("uploads/<uuid:pk>/", UploadView.as_view(), name="upload"),
    path("cleaning-steps/", CleaningStepsView.as_view(), name="cleaning-steps"),
    path("mechanisms/", MechanismsView.as_view(), name="mechanisms"),
    path("label-schema/", LabelSchemaView.as_view(), name="label-schema"),
    path("postprocesses/", PostProcessesView.as_view(), name="postprocesses"),
    path("landmark-methods/", LandmarkMethodsView.as_view(), name="landmark-methods"),
    path("landmark-sets/<uuid:pk>/loss/", LandmarkSetLossView.as_view(), name="landmark-set-loss"),
    path("budget-plans/", BudgetPlanView.as_view(), name="budget-plans"),
    path("dummy-methods/", DummyMethodsView.as_view(), name="dummy-methods"),
    path("experiment-presets/", PresetsView.as_view(), name="experiment-presets"),
    path("experiment-generators/", GeneratorsView.as_view(), name="experiment-generators"),
    path("experiment-measures/", MeasuresView.as_view(), name="experiment-measures"),
    path("attack-methods/", AttackMethodsView.as_view(), name="attack-methods"),
    path("base-map/", BaseMapView.as_view(), name="base-map"),
    path("base-map/file/", MapFileView.as_view(), name="base-map-file"),
    path("jobs/", JobsView.as_view(), name="jobs"),
    path("jobs/<uuid:pk>/dismiss/", DismissView.as_view(), name="job-dismiss"),
    path("schema/", SchemaView.as_view(), name="schema"),
    path("docs/", SpectacularSwaggerSplitView.as_view(url_name="api:schema"), name="docs"),
]

WITH_PAGES = (
    *("accounts", "projects", "datasets", "landmarks", "releases", "publications"),
    *("experiments", "audits", "streams", "account_data", "onboarding"),
)
urlpatterns = [
    *(path("", include(f"dashboard.{app}.urls")) for app in WITH_PAGES),
    path(
        "glossary/",
        TemplateView.as_view(template_name="glossary.html", extra_context={"glossary": GLOSSARY}),
        name="glossary",
    ),
    path("tiles/<int:z>/<int:x>/<int:y>", tiles.tile, name="tile"),
    path("tiles/<uuid:pk>/<int:z>/<int:x>/<int:y>", own_tile, name="own-tile"),
    path("tiles/area/<uuid:pk>/<int:z>/<int:x>/<int:y>", area_tile, name="area-tile"),
    path("api/v1/", include((api, "api"))),
    re_path(r"^api/", error_views.unknown_api_path, name="unknown-api-path"),
    path("docs/", documentation, name="documentation"),
    path("docs/<path:path>", documentation, name="documentation"),
    path("healthz", login_not_required(health.healthz), name="healthz"),
]

handler400 = error_views.bad_request
handler403 = error_views.forbidden
handler404 = error_views.not_found
handler500 = error_views.server_error
