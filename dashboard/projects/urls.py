"""The pages of projects, and where rows are put into a project."""

from django.urls import path

from dashboard.projects import views

app_name = "projects"
urlpatterns = [
    path("projects/", views.index, name="list"),
    path("projects/<uuid:pk>/", views.detail, name="detail"),
    path("projects/<uuid:pk>/invite/", views.invite, name="invite"),
    path("projects/join/<str:token>/", views.join, name="join"),
    path("project-invitations/<uuid:pk>/revoke/", views.revoke, name="revoke-invitation"),
    path("projects/<uuid:pk>/rename/", views.rename, name="rename"),
    path("projects/<uuid:pk>/delete/", views.delete, name="delete"),
    path("members/<uuid:pk>/role/", views.member_role, name="member-role"),
    path("members/<uuid:pk>/remove/", views.member_remove, name="member-remove"),
    path("datasets/<uuid:pk>/project/", views.move, {"what": "dataset"}, name="move-dataset"),
    path("experiments/<uuid:pk>/project/", views.move, {"what": "experiment"}, name="move-experiment"),
    path("streams/<uuid:pk>/project/", views.move, {"what": "stream"}, name="move-stream"),
]
