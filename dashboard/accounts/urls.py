"""Where people come in, and where they make tokens."""

from django.urls import path

from dashboard.accounts import pages

app_name = "accounts"
urlpatterns = [
    path("login/", pages.Login.as_view(), name="login"),
    path("login/once/<str:token>/", pages.once, name="once"),
    path("logout/", pages.log_out, name="logout"),
    path("tour/", pages.tour, name="tour"),
    path("tokens/", pages.tokens, name="tokens"),
    path("tokens/<str:token_key>/revoke/", pages.revoke, name="revoke"),
]
