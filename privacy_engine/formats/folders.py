"""Whose the members of an archive are: by their folders, by their files, or by what is in them.

Of a member's folders the first counts that not all members share: ``000`` of ``Data/000/Trajectory/x.plt``. Names that
differ in case or in how an accent is written are the same folder, as on file systems that do not distinguish them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError, ParameterError
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.people import key_of, numbered
from privacy_engine.formats.source import display_name, stem

_GEOLIFE = re.compile(r"(?:^|/)([^/]+)/Trajectory/[^/]+\.plt$", re.IGNORECASE)
_PERSON_NAMES = "person|user|participant|subject|individual|member|volunteer|resident|driver|rider|taxi|vehicle|animal"
_PERSON = re.compile(rf"(?:{_PERSON_NAMES})s?(?:[ ._-]+[^/]+|[0-9]+)|[pu][ ._-]?[0-9]+")
_SHARED = "Trajectory"


@dataclass(frozen=True)
class Member:
    """A member that was read: its path, its series, the persons it states, and the options it could not use.

    ``decided`` are the options that its reading decided.
    """

    path: str
    series: Sequence[Trajectory]
    people: Mapping[str, Any]
    unused: Mapping[str, ParameterError]
    decided: Mapping[str, Any]


@dataclass(frozen=True)
class Folder:
    """A folder for comparing, and its name to show; both empty for a member that lies in none of its own."""

    key: str = ""
    name: str = ""


def of_members(options: ReadOptions) -> str | None:
    """The option ``person`` for the members of an archive whose own it is."""
    return "one" if options.person in ("folder", "file", "series") else options.person


def geolife_user(path: str) -> str:
    """The folder above Trajectory, as Geolife is published; empty elsewhere."""
    match = _GEOLIFE.search(_slashes(path))
    return display_name(match[1]) if match else ""


def owned(members: Sequence[Member], options: ReadOptions) -> tuple[list[str | None], str, str]:
    """The person of each member, None where its series have their own; the option's value for it, and the reason.

    Raises
    ------
    FormatError
        The owner's option makes folders people, and a member lies in none.
    """
    paths = [member.path for member in members]
    if options.person == "file":
        return [*numbered([stem(path) for path in paths])], options.person, ""
    if options.person == "folder":
        return [*_named(_required(paths))], options.person, ""
    if options.members and any("person" in (own or {}) for own in options.members.values()):
        return [None] * len(paths), "series", ""
    if options.person is not None:
        return [None if options.person != "one" else ""] * len(paths), options.person, ""
    return _guessed(members, paths)


def _guessed(members: Sequence[Member], paths: list[str]) -> tuple[list[str | None], str, str]:
    stated = [member.people for member in members if member.people]
    named = [bool(track.person) for member in members for track in member.series]
    if any(named) and all(named):
        by, column = stated[0]["by"], stated[0]["column"]
        return [None] * len(paths), f"{by}:{column}" if column else by, stated[0]["message"]
    folders = folders_of(paths)
    different = {folder.key for folder in folders}
    if not any(named) and len(different) > 1 and all(map(_is_person, folders, paths)):
        return [*_named(folders)], "folder", "The names of the folders are those of people."
    nameless: list[str | None] = [""] * len(paths)
    if any(named):
        return nameless, "one", "Some members name people and others do not: everything counts as one person's."
    if len(paths) > 1:
        where = "folders" if len(different) > 1 and "" not in different else "files"
        return nameless, "one", f"The {where} of the archive may be one person's: nothing identifies the person."
    return nameless, "one", stated[0]["message"] if stated else "Nothing in the file names a person."


def _is_person(folder: Folder, path: str) -> bool:
    return bool(folder.key) and (_PERSON.fullmatch(folder.key) is not None or folder.key == key_of(geolife_user(path)))


def _required(paths: list[str]) -> list[Folder]:
    folders = folders_of(paths)
    if len({folder.key for folder in folders}) == 1:
        common = _common([_parts(path) for path in paths])
        names = [name for name in common if key_of(name) != key_of(_SHARED)]
        folders = [Folder(key_of(names[-1]), names[-1]) if names else Folder()] * len(paths)
    for folder, path in zip(folders, paths, strict=True):
        if not folder.key:
            raise FormatError(
                f"{display_name(path)[:60]!r} lies in no folder of a person. Put each person's files into a folder, or "
                "specify that each file is a person or that everything is one person's.",
                code="no_folder",
                field="person",
                rule="each file in the folder of a person",
                value="folder",
            )
    return folders


def _named(folders: list[Folder]) -> list[str]:
    """A name for each folder, the same for those that compare equal and another for all others."""
    shown: dict[str, str] = {}
    for folder in folders:
        shown.setdefault(folder.key, folder.name)
    names = dict(zip(shown, numbered(list(shown.values())), strict=True))
    return [names[folder.key] for folder in folders]


def folders_of(paths: list[str]) -> list[Folder]:
    """For each member the first of its folders that not all members share."""
    split = [_parts(path) for path in paths]
    shared = len(_common(split))
    return [Folder(key_of(parts[shared]), parts[shared]) if len(parts) > shared else Folder() for parts in split]


def _common(split: list[list[str]]) -> list[str]:
    """The folders that all members share, from the root on."""
    common = []
    for level in zip(*split, strict=False):
        if len({key_of(name) for name in level}) > 1:
            break
        common.append(level[0])
    return common


def _parts(path: str) -> list[str]:
    """The names of a member's folders, cleaned, without those that mean nothing."""
    names = [display_name(name) for name in _slashes(path).split("/")[:-1]]
    return [name for name in names if name not in ("", ".")]


def _slashes(path: str) -> str:
    return path.replace("\\", "/")
