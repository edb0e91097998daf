"""Where releases are published, and the public pages."""

from django.urls import path

from dashboard.publications import views

app_name = "publications"
urlpatterns = [
    path("published/", views.index, name="list"),
    path("published/<uuid:pk>/revoke/", views.revoke, name="revoke"),
    path("releases/<uuid:pk>/publish/", views.publish, name="new"),
    path("p/<str:token>/", views.page, name="page"),
    path("p/<str:token>/track/", views.track, name="track"),
    path("p/<str:token>/data/", views.data, name="data"),
    path("p/<str:token>/label/", views.label, name="label"),
]
