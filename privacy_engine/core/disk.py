"""Whether an error means that a disk is full."""

import errno

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


def is_full(error: BaseException) -> bool:
    """True for a disk, or the share of it that a user may use, that has no space left."""
    return isinstance(error, OSError) and error.errno in FULL
