"""Where releases are requested, compared and reported on."""

from django.urls import path

from dashboard.releases import views
from dashboard.releases.checkins.views import recommend
from dashboard.releases.paper_figure import FORMS

app_name = "releases"
urlpatterns = [
    path("recommend/", recommend, name="recommend"),
    path("datasets/<uuid:pk>/releases/new/", views.new, name="new"),
    path("datasets/<uuid:pk>/compare/", views.compare, name="compare"),
    path("datasets/<uuid:pk>/compare/report/", views.comparison, name="comparison-report"),
    path("releases/<uuid:pk>/", views.home, name="home"),
    path("releases/<uuid:pk>/report/", views.report, name="report"),
    path("releases/<uuid:pk>/explain/", views.explain, name="explain"),
    *(
        path(f"releases/<uuid:pk>/explain/figure.{form}", views.figure, {"form": form}, name=f"figure-{form}")
        for form in FORMS
    ),
]
