"""Checks of this host: disk, permissions, keys, names, HTTPS, limits, memory."""

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings

from dashboard.maintenance.doctor.finding import Finding, error, warning
from dashboard.storage.uploads import FORM_BYTES, SPARE_BYTES
from privacy_engine import formats
from privacy_engine.attacks import attacks
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.metrics import metrics

SECRET_CHARS = 50
LOCAL = {"127.0.0.1", "localhost", "[::1]", "::1", "testserver"}


def files() -> Iterator[Finding]:
    """CAIRN_HOME is a folder in which files are made, renamed and removed."""
    home = Path(settings.CAIRN_HOME)
    try:
        (home / "tmp").mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=home / "tmp", delete=False) as file:
            file.write(b"doctor")
        before, after = Path(file.name), home / "tmp" / f"{Path(file.name).name}.renamed"
        before.rename(after)
        apart = abs(after.stat().st_mtime - time.time())
        after.unlink()
    except OSError as problem:
        yield error(
            "files-not-writable",
            f"Files cannot be written in {home} ({problem.strerror or type(problem).__name__}).",
            "Give the folder to the user that runs Cairn, or mount the volume writable; with docker: user 10001.",
        )
        return
    if apart > 60:
        yield warning(
            "clock-of-files",
            f"Files in {home} get times that are {apart:,.0f} s from this host's clock.",
            "Let this host and the file server take their time from the network.",
        )


def plugins() -> Iterator[Finding]:
    """Every component of another package can be used."""
    for lost in (entry for sort in (mechanisms, metrics, attacks, formats.plugins) for entry in sort.not_loaded):
        yield warning("plugin", f"{lost}.", f"Correct {lost.origin.package}, or remove it; then restart Cairn.")


def permissions() -> Iterator[Finding]:
    """The user of the service alone may enter CAIRN_HOME."""
    home = Path(settings.CAIRN_HOME)
    mode = stat.S_IMODE(home.stat().st_mode)
    if mode & 0o077:
        yield error(
            "home-open",
            f"Other users of this host may enter {home} (mode {mode:04o}), which holds what was uploaded.",
            f"chmod 700 {home}",
        )
    for name in ("secret.key", "ledger.key"):
        key = home / name
        if key.exists() and stat.S_IMODE(key.stat().st_mode) & 0o077:
            yield error("key-open", f"Other users of this host may read {key}.", f"chmod 600 {key}")


def disk() -> Iterator[Finding]:
    """It has more than what uploads leave free, and space for an upload beside."""
    home = Path(settings.CAIRN_HOME)
    free = shutil.disk_usage(home).free
    if free <= SPARE_BYTES:
        yield error(
            "disk-full",
            f"The disk of {home} has {free / 1e9:.1f} GB free: uploads are refused, and jobs will fail.",
            "Delete datasets, old backups or logs, or give the volume more space.",
        )
    elif free <= SPARE_BYTES + 2 * settings.CAIRN_UPLOAD_BYTES:
        yield warning(
            "disk-low",
            f"The disk of {home} has {free / 1e9:.1f} GB free: not enough for an upload of the largest size "
            f"({settings.CAIRN_UPLOAD_BYTES / 1e9:.1f} GB) and its copy.",
            "Give the volume more space, or lower CAIRN_UPLOAD_MB.",
        )


def keys() -> Iterator[Finding]:
    """The secret key is long, and the budgets' key is a file that can be backed up."""
    if len(settings.SECRET_KEY) < SECRET_CHARS or len(set(settings.SECRET_KEY)) < 5:
        yield error(
            "secret-key-weak",
            f"The secret key has {len(settings.SECRET_KEY)} characters: sessions and links can be forged by guessing.",
            f"Give at least {SECRET_CHARS} random ones by CAIRN_SECRET_KEY_FILE; all users log in again after that.",
        )
    if settings.CAIRN_LEDGER_KEY == settings.SECRET_KEY:
        yield error(
            "ledger-key-shared",
            "The secret key and the budgets' key are the same: the secret key can then never be changed.",
            "Give the secret key another value. Leave the budgets' key as it is.",
        )
    if len(set(settings.CAIRN_LEDGER_KEY)) < 5:
        yield error(
            "ledger-key-weak",
            "The budgets' key is not random: whoever has the database can test guesses of what was uploaded.",
            "Before the first upload, give it 32 random characters or more. After that it must not change.",
        )


def names_and_https() -> Iterator[Finding]:
    """Allowed hosts, origins, HTTPS and proxies fit each other."""
    hosts = set(settings.ALLOWED_HOSTS)
    if "*" in hosts:
        yield error(
            "any-host",
            "CAIRN_ALLOWED_HOSTS allows any host name: links in pages can be made to lead elsewhere.",
            "Name the hosts, such as CAIRN_ALLOWED_HOSTS=cairn.example.org.",
        )
    if settings.DEBUG:
        yield error("debug", "CAIRN_DEBUG is on: errors show settings and data.", "Unset CAIRN_DEBUG.")
    remote = {host for host in hosts - {"*"} if host.strip(".") not in LOCAL and host not in ("0.0.0.0", "::")}  # noqa: S104  # nosec B104
    if remote and not settings.CAIRN_HTTPS:
        yield error(
            "no-https",
            f"People reach {sorted(remote)[0]} without HTTPS: passwords and positions are sent in clear.",
            "Put a proxy that ends TLS before it (docker compose --profile proxy up) and set CAIRN_HTTPS=1.",
        )
    if settings.CAIRN_HTTPS and not remote:
        yield error(
            "https-without-host",
            "CAIRN_HTTPS is on, and only this machine's own names are allowed: every page is refused or redirected.",
            "Set CAIRN_ALLOWED_HOSTS to the name people use, or unset CAIRN_HTTPS.",
        )
    if settings.CAIRN_HTTPS and not settings.REST_FRAMEWORK["NUM_PROXIES"]:
        yield error(
            "no-proxies",
            "CAIRN_HTTPS is on and CAIRN_PROXIES is 0: all people have the proxy's address, and share one limit of "
            "failed logins.",
            "Set CAIRN_PROXIES to the number of proxies, 1 for the one of the profile proxy.",
        )
    for origin in settings.CSRF_TRUSTED_ORIGINS:
        parts = urlsplit(origin)
        if (parts.scheme == "https") != settings.CAIRN_HTTPS:
            state = "on" if settings.CAIRN_HTTPS else "off"
            yield error(
                "origin-scheme",
                f"CAIRN_TRUSTED_ORIGINS has {origin}, and CAIRN_HTTPS is {state}: forms sent from there are refused.",
                "Let both agree: https:// with CAIRN_HTTPS=1, http:// without.",
            )
        elif not _allowed(parts.hostname or "", hosts):
            yield error(
                "origin-not-allowed",
                f"CAIRN_TRUSTED_ORIGINS has {origin}, whose host is not in CAIRN_ALLOWED_HOSTS.",
                f"Add {parts.hostname} to CAIRN_ALLOWED_HOSTS.",
            )


def _allowed(host: str, hosts: set[str]) -> bool:
    named = {name.lstrip(".") for name in hosts}
    return "*" in hosts or host in named or any(host.endswith(name) for name in hosts if name.startswith("."))


def upload_limit() -> Iterator[Finding]:
    """The proxy takes what Cairn takes (CAIRN_PROXY_MB: its limit, where it is known)."""
    proxy, largest = settings.CAIRN_PROXY_BYTES, settings.CAIRN_UPLOAD_BYTES
    if proxy and proxy < largest + FORM_BYTES:
        yield error(
            "proxy-limit",
            f"The proxy takes {proxy / 1e6:,.0f} MB a request and Cairn files of {largest / 1e6:,.0f} MB: "
            "large uploads end with an error of the proxy's that does not state why.",
            "Raise the proxy's limit (client_max_body_size of nginx) and CAIRN_PROXY_MB, or lower CAIRN_UPLOAD_MB.",
        )


def memory() -> Iterator[Finding]:
    """One job may not take more than the host, or the container, has."""
    has, limit = memory_bytes(), int(os.environ.get("CAIRN_JOB_MEMORY_MB", "8000")) * 1_000_000
    if has and limit > has:
        yield warning(
            "job-memory",
            f"One job may take {limit / 1e9:.1f} GB, and there are {has / 1e9:.1f}: the kernel ends a worker earlier.",
            "Set CAIRN_JOB_MEMORY_MB below the memory divided by the jobs of one worker.",
        )


def memory_bytes() -> int:
    """Memory of the container, or of the host; 0 where that is not known."""
    try:
        text = Path("/sys/fs/cgroup/memory.max").read_text().strip()
        contained = int(text) if text.isdecimal() else 0
    except OSError:
        contained = 0
    try:
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        whole = 0
    return min(contained or whole, whole or contained)
