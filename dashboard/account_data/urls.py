"""Addresses of the pages of account data."""

from django.urls import path

from dashboard.account_data import views

app_name = "accountexports"
urlpatterns = [
    path("account-exports/", views.exports, name="list"),
    path("account/delete/", views.delete, name="delete-account"),
]
