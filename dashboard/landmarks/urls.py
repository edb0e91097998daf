"""Where landmark sets are made and forgotten."""

from django.urls import path

from dashboard.landmarks import pages, report_pages

app_name = "landmarks"
urlpatterns = [
    path("datasets/<uuid:pk>/landmarks/new/", pages.new, name="new"),
    path("landmark-sets/<uuid:pk>/", pages.detail, name="detail"),
    path("landmark-sets/<uuid:pk>/report/", report_pages.detail, name="report"),
    path("landmark-sets/<uuid:pk>/dummies/", pages.dummies, name="dummies"),
]
