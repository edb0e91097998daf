"""Where datasets are."""

from django.urls import path

from dashboard.datasets import views

app_name = "datasets"
urlpatterns = [
    path("", views.dataset_list, name="list"),
    path("datasets/<uuid:pk>/", views.detail, name="detail"),
    path("datasets/<uuid:pk>/import/", views.import_again, name="import"),
    path("datasets/<uuid:pk>/count/", views.aggregate, name="aggregate"),
    path("datasets/<uuid:pk>/stays/", views.stays, name="stays"),
]
