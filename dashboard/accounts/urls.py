"""Where people come in, and where they make tokens."""

from django.urls import path

from dashboard.accounts import password_views, second_factor_views, views

app_name = "accounts"
urlpatterns = [
    path("login/", views.Login.as_view(), name="login"),
    path("login/once/<str:token>/", views.once, name="once"),
    path("login/code/", second_factor_views.code, name="code"),
    path("join/<str:token>/", views.join, name="join"),
    path("logout/", views.log_out, name="logout"),
    path("account/", views.account, name="account"),
    path("account/sessions/end/", views.end_sessions, name="end-sessions"),
    path("account/second-factor/", second_factor_views.second_factor_page, name="second-factor"),
    path("account/second-factor/begin/", second_factor_views.begin, name="second-factor-begin"),
    path("account/second-factor/codes/", second_factor_views.renew_codes, name="second-factor-codes"),
    path("account/second-factor/disable/", second_factor_views.disable, name="second-factor-disable"),
    path("account/access/", views.access, name="access"),
    path("account/address/", password_views.address, name="address"),
    path("account/address/<str:token>/", password_views.confirm_address, name="confirm-address"),
    path("invitations/", views.invitation_list, name="invitations"),
    path("invitations/<uuid:pk>/revoke/", views.revoke_invitation, name="revoke-invitation"),
    path("password/forgotten/", password_views.forgotten, name="forgotten"),
    path("password/", password_views.ChangePassword.as_view(), name="password"),
    path("password/<str:uidb64>/<str:token>/", password_views.SetByLink.as_view(), name="reset"),
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<str:token_key>/revoke/", views.revoke, name="revoke"),
]
