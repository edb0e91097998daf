"""Where releases are asked for, compared and reported on."""

from django.urls import path

from dashboard.releases import pages, report_pages

app_name = "releases"
urlpatterns = [
    path("datasets/<uuid:pk>/releases/new/", pages.new, name="new"),
    path("datasets/<uuid:pk>/compare/", pages.compare, name="compare"),
    path("datasets/<uuid:pk>/compare/report/", report_pages.comparison, name="comparison-report"),
    path("releases/<uuid:pk>/", report_pages.home, name="home"),
    path("releases/<uuid:pk>/report/", report_pages.detail, name="report"),
]
