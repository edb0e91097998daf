"""Pages that are served before the engine is compiled have the note that a page shows while it waits."""

import pytest
from django.urls import reverse

from dashboard.launcher import warm
from privacy_engine import kernel_folder, kernels


@pytest.mark.parametrize("complete", [False, True])
def test_pages_have_the_note_until_all_is_compiled(client, owner, monkeypatch, complete):
    monkeypatch.setattr(kernel_folder, "is_complete", lambda: complete)
    client.force_login(owner)
    assert ("data-compiling" in client.get(reverse("datasets:list")).content.decode()) is not complete


def test_both_name_one_folder():
    """That of numba's setting, and that of a process without numba."""
    assert str(kernel_folder.folder()) == kernels.CACHE_FOLDER
    assert warm.kernel_folder is kernel_folder
