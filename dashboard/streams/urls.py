"""Addresses of the pages of live streams."""

from django.urls import path

from dashboard.streams import views

app_name = "streams"
urlpatterns = [
    path("streams/", views.index, name="list"),
    path("streams/new/", views.new, name="new"),
    path("streams/<uuid:pk>/", views.detail, name="detail"),
]
