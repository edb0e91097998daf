"""Stored files that are damaged by other means than the product's, and what is answered then."""

import json
from pathlib import Path

import pytest
from django.utils import timezone

from dashboard.maintenance import file_check
from dashboard.storage import integrity
from dashboard.storage.stored_path import stored_files


@pytest.fixture
def none_known():
    integrity._sound.clear()
    yield
    integrity._sound.clear()


def content_of(path):
    return b"".join(stored_files().chunks(str(path)))


def put(path, content):
    """Replace what is stored by other means than the product's, its size and digest as they were stated."""
    files = stored_files()
    if not path.exists():  # what is made again was removed
        with path.written() if integrity.is_derived(path.key) else files.written(str(path)) as out:
            out.write(content)
    elif files.shared:
        head = files._client.head_object(**files._named(str(path)))
        files._client.put_object(**files._named(str(path)), Body=content, Metadata=head["Metadata"])
        files.discard_copy(str(path))  # as another host sees it
    else:
        Path(files.path(str(path))).write_bytes(content)


def inverted(content, at):
    return content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]


def damage(path, at=-1):
    content = content_of(path)
    put(path, inverted(content, len(content) // 2 if at < 0 else at))
    return content


def problem(answer):
    found = json.loads(answer.content)
    assert (answer.status_code, found["errors"][0]["code"]) == (503, "damaged_file"), found
    assert "damaged: restore it from a backup" in found["detail"]
    assert int(answer["Retry-After"]) > 0
    return found


def checked():
    return {one.name: one.state for one in file_check.check(timezone.now()) if one.state}
