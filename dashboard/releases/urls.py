"""Where releases are asked for and compared."""

from django.urls import path

from dashboard.releases import pages

app_name = "releases"
urlpatterns = [
    path("datasets/<uuid:pk>/releases/new/", pages.new, name="new"),
    path("datasets/<uuid:pk>/compare/", pages.compare, name="compare"),
]
