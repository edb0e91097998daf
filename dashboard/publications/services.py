"""Writes of the publications app: publish a release under a link, revoke the link."""

from datetime import UTC, date, datetime
from functools import partial
from typing import Any

from django.db import transaction

from dashboard.core.computing import computed
from dashboard.core.errors import Conflict, must_be, require_state
from dashboard.core.filenames import file_stem
from dashboard.core.idempotency import check_key, earlier_row, once
from dashboard.core.keys import digest_of
from dashboard.core.text import one_line
from dashboard.jobs.models import State
from dashboard.publications import copies
from dashboard.publications.common.public import publics
from dashboard.publications.models import Publication
from dashboard.releases import naming
from dashboard.releases.models import Release
from dashboard.releases.services import lock_finished_release


def publish_release(
    *,
    release: Release,
    title: str = "",
    author: str = "",
    licence: str = "",
    expires_on: date | None = None,
    idempotency_key: str = "",
) -> Publication:
    """Put a copy of a finished release under a new public link, valid to the end of ``expires_on`` (UTC).

    ``author`` and ``licence`` are texts for readers, the latter also any of
    :data:`~dashboard.publications.models.LICENCES`. The copy has no names of people or series, and stays when the
    release or its dataset is deleted. With an ``idempotency_key`` the same request may be sent any number of times:
    there is a single link.

    Raises
    ------
    Conflict
        The release is not done, it is a seeded simulation, or the key was used for another request.
    ParameterError
        ``expires_on`` is over, or the key is no key.
    """
    check_key(idempotency_key)
    require_state(release, State.DONE, "release")
    if release.seeded:
        raise Conflict(
            "The release is a seeded simulation: whoever tries seeds can remove its noise. It has no guarantee and "
            "cannot be published. Make a release without a seed.",
            field="release",
            rule="a release without a seed",
        )
    if expires_on is not None and expires_on < datetime.now(UTC).date():
        raise must_be("expires_on", "today (UTC) or later", str(expires_on), got=False)
    fresh = Publication(
        owner=release.owner,
        release=release,
        kind=release.kind,
        mechanism=release.mechanism,
        method=release.title,
        title=one_line(title),
        author=one_line(author, 100),
        licence=one_line(licence),
        expires_on=expires_on,
        idempotency_key=idempotency_key,
    )
    fresh.digest = digest_of(fresh.token)
    parts = [fresh.title] if fresh.title else [*naming.file_parts(release.parsed_spec), fresh.pk.hex[:8]]
    fresh.file_stem = file_stem(*parts)
    return once(partial(earlier_row, fresh, _request), partial(_create, fresh, release))[0]


def _request(publication: Publication) -> tuple[Any, ...]:
    terms = publication.author, publication.licence, publication.expires_on
    return publication.release_id, publication.title, *terms


def _create(fresh: Publication, release: Release) -> Publication:
    """Files first, then the row; neither without the other."""
    try:
        fresh.facts = _copied(fresh, release)
        with transaction.atomic():
            lock_finished_release(release.pk)
            fresh.save(force_insert=True)
    except FileNotFoundError:
        copies.remove(fresh)
        raise Conflict("The release is discarded.", field="release", rule=str(State.DONE)) from None
    except BaseException:
        copies.remove(fresh)
        raise
    return fresh


@computed
def _copied(fresh: Publication, release: Release) -> dict[str, Any]:
    """Write the copy; what the page shows of it."""
    data = copies.public_data(release)
    copies.write(fresh, data, copies.label_of(release, data))
    return publics[release.kind].facts(release, data)


def revoke_publication(*, publication: Publication) -> None:
    """End a link at once, and delete the copy behind it."""
    publication.delete()
