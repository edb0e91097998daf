"""Where experiments are composed and read."""

from django.urls import path

from dashboard.experiments import pages

app_name = "experiments"
urlpatterns = [
    path("experiments/", pages.index, name="list"),
    path("experiments/new/", pages.new, name="new"),
    path("experiments/<uuid:pk>/", pages.detail, name="detail"),
]
