"""Where experiments are composed and read."""

from django.urls import path

from dashboard.experiments import views

app_name = "experiments"
urlpatterns = [
    path("experiments/", views.index, name="list"),
    path("experiments/new/", views.new, name="new"),
    path("experiments/<uuid:pk>/", views.detail, name="detail"),
]
