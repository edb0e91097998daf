"""Where releases are requested, compared and reported on."""

from django.urls import path

from dashboard.releases import report_views, views
from dashboard.releases.checkins.views import recommend

app_name = "releases"
urlpatterns = [
    path("recommend/", recommend, name="recommend"),
    path("datasets/<uuid:pk>/releases/new/", views.new, name="new"),
    path("datasets/<uuid:pk>/compare/", views.compare, name="compare"),
    path("datasets/<uuid:pk>/compare/report/", report_views.comparison, name="comparison-report"),
    path("releases/<uuid:pk>/", report_views.home, name="home"),
    path("releases/<uuid:pk>/report/", report_views.detail, name="report"),
]
