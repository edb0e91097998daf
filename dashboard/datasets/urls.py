"""Where datasets are."""

from django.urls import path

from dashboard.datasets import pages

app_name = "datasets"
urlpatterns = [
    path("", pages.dataset_list, name="list"),
    path("datasets/<uuid:pk>/", pages.detail, name="detail"),
]
