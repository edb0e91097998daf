"""Where datasets are."""

from django.urls import path

from dashboard.datasets import views
from dashboard.datasets.common.pages import pages

app_name = "datasets"
urlpatterns = [
    path("", views.dataset_list, name="list"),
    path("datasets/<uuid:pk>/", views.detail, name="detail"),
    path("datasets/<uuid:pk>/count/", views.aggregate, name="aggregate"),
    *(url for page in pages.values() for url in page.urls),
]
