"""Addresses of the audits page."""

from django.urls import path

from dashboard.audits import views

app_name = "audits"
urlpatterns = [
    path("audits/", views.index, name="list"),
    path("audits/<uuid:pk>/", views.index, name="detail"),
]
