"""REST API of the trail of access."""

from django_filters import rest_framework as filters
from rest_framework import mixins, serializers

from dashboard.accounts import selectors
from dashboard.accounts.models import Access, AccessEntry
from dashboard.core.rest.views import ApiViewSet


class AccessSerializer(serializers.ModelSerializer[AccessEntry]):
    """A read of an original, a download, or a new member of a project."""

    class Meta:
        model = AccessEntry
        fields = (
            *("id", "created_at", "user_name", "access", "operation", "subject", "subject_id", "subject_name"),
            *("means", "means_id", "means_name"),
        )
        extra_kwargs = {
            "user_name": {"help_text": "Empty for readers of a public link."},
            "operation": {"help_text": "The name of the operation, such as dataset-track."},
            "means": {"help_text": "session, token, link or invitation."},
            "means_id": {"help_text": "Id of the session, link or invitation, or the first characters of the token."},
            "means_name": {"help_text": "The browser, the name of the token, or the role that the invitation gave."},
        }


class AccessFilter(filters.FilterSet):
    """By access and subject."""

    access = filters.ChoiceFilter(choices=Access.choices)
    subject_id = filters.UUIDFilter()


class AccessViewSet(mixins.ListModelMixin, ApiViewSet[AccessEntry]):
    """The trail of access: reads of the user's originals, and downloads of what is theirs, newest first."""

    serializer_class = AccessSerializer
    filterset_class = AccessFilter
    queryset = AccessEntry.objects.none()
    visible_to = staticmethod(selectors.access_to)
