"""REST API of the user's sessions in browsers."""

from rest_framework import serializers

from dashboard.accounts import selectors
from dashboard.accounts.models import UserSession
from dashboard.core.rest.views import RowViewSet


class SessionSerializer(serializers.ModelSerializer[UserSession]):
    """A browser that is logged in."""

    current = serializers.SerializerMethodField(help_text="Whether this request is of that session.")

    class Meta:
        model = UserSession
        fields = ("id", "browser", "address", "created_at", "last_used_at", "expires_at", "current")
        extra_kwargs = {
            "browser": {"help_text": "Browser and system by its User-Agent header; empty if unknown."},
            "address": {"help_text": "IPv4 address, or IPv6 network of 64 bits, of its last use."},
            "last_used_at": {"help_text": "To the minute."},
        }

    expires_at = serializers.DateTimeField(source="expire_date")

    def get_current(self, row: UserSession) -> bool:
        session = getattr(self.context["request"], "session", None)
        return session is not None and session.session_key == row.session_key


class SessionViewSet(RowViewSet[UserSession]):
    """Sessions: browsers that are logged in. A deleted one is logged out with its next request."""

    serializer_class = SessionSerializer
    queryset = UserSession.objects.none()
    visible_to = staticmethod(selectors.sessions_of)
    lookup_field = "id"
    lookup_url_kwarg = "pk"
