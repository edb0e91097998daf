"""Where landmark sets are made and forgotten."""

from django.urls import path

from dashboard.landmarks import views

app_name = "landmarks"
urlpatterns = [
    path("samples/", views.samples, name="samples"),
    path("datasets/<uuid:pk>/landmarks/new/", views.new, name="new"),
    path("landmark-sets/<uuid:pk>/", views.detail, name="detail"),
    path("landmark-sets/<uuid:pk>/report/", views.report_page, name="report"),
    path("landmark-sets/<uuid:pk>/dummies/", views.dummies, name="dummies"),
]
