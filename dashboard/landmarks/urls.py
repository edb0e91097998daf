"""Where landmark sets are made and forgotten."""

from django.urls import path

from dashboard.landmarks import pages

app_name = "landmarks"
urlpatterns = [
    path("datasets/<uuid:pk>/landmarks/new/", pages.new, name="new"),
    path("landmark-sets/<uuid:pk>/", pages.detail, name="detail"),
    path("landmark-sets/<uuid:pk>/dummies/", pages.dummies, name="dummies"),
]
