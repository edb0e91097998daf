"""Where people come in, and where they make tokens."""

from django.urls import path

from dashboard.accounts import account_views, password_views, views

app_name = "accounts"
urlpatterns = [
    path("login/", views.Login.as_view(), name="login"),
    path("login/once/<str:token>/", views.once, name="once"),
    path("logout/", views.log_out, name="logout"),
    path("account/", account_views.account, name="account"),
    path("account/sessions/end/", account_views.end_sessions, name="end-sessions"),
    path("password/", password_views.ChangePassword.as_view(), name="password"),
    path("password/<str:uidb64>/<str:token>/", password_views.SetByLink.as_view(), name="reset"),
    path("tour/", views.tour, name="tour"),
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<str:token_key>/revoke/", views.revoke, name="revoke"),
]
