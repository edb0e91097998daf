"""Where people come in, and where they make tokens."""

from django.urls import path

from dashboard.accounts import (
    account_views,
    address_views,
    join_views,
    password_views,
    second_factor_views,
    views,
)

app_name = "accounts"
urlpatterns = [
    path("login/", views.Login.as_view(), name="login"),
    path("login/once/<str:token>/", views.once, name="once"),
    path("login/code/", second_factor_views.code, name="code"),
    path("join/<str:token>/", join_views.join, name="join"),
    path("logout/", views.log_out, name="logout"),
    path("account/", views.account, name="account"),
    path("account/sessions/end/", account_views.end_sessions, name="end-sessions"),
    path("account/second-factor/", second_factor_views.second_factor_page, name="second-factor"),
    path("account/second-factor/begin/", second_factor_views.begin, name="second-factor-begin"),
    path("account/second-factor/codes/", second_factor_views.renew_codes, name="second-factor-codes"),
    path("account/second-factor/disable/", second_factor_views.disable, name="second-factor-disable"),
    path("account/access/", account_views.access, name="access"),
    path("account/address/", address_views.address, name="address"),
    path("account/address/<str:token>/", address_views.confirm_address, name="confirm-address"),
    path("invitations/", join_views.index, name="invitations"),
    path("invitations/<uuid:pk>/revoke/", join_views.revoke, name="revoke-invitation"),
    path("password/forgotten/", address_views.forgotten, name="forgotten"),
    path("password/", password_views.ChangePassword.as_view(), name="password"),
    path("password/<str:uidb64>/<str:token>/", password_views.SetByLink.as_view(), name="reset"),
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<str:token_key>/revoke/", views.revoke, name="revoke"),
]
