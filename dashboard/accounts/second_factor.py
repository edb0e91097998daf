"""The second factor of a login: codes of an authenticator app (TOTP, RFC 6238) by django-otp, and recovery codes.

A recovery code is stored as a keyed digest, and is good once. The secret of the app must be stored as it is.
"""

import base64
import secrets
from typing import Any

import segno
from django.core import signing
from django.db import transaction
from django.utils.crypto import salted_hmac
from django_otp import devices_for_user
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice
from django_otp.util import random_hex

from dashboard.accounts.models import User

CODES = 10
"""Recovery codes of an account."""
LIFE_S = 3600
"""How long a secret that is shown can be confirmed."""
_BYTES = 10  # 80 bits: 16 characters of base 32, what a column of django-otp holds


def is_enabled(user: Any) -> bool:
    """Whether logging in needs a code."""
    return TOTPDevice.objects.filter(user=user, confirmed=True).exists()


def new_secret(user: User) -> str:
    """A new secret, signed for ``user``: only the form that shows it has it until a code of it is given."""
    return signing.dumps(random_hex(), salt=f"accounts.second_factor.{user.pk}")


def device_of(user: User, secret: str) -> TOTPDevice | None:
    """The device of a secret of :func:`new_secret`, which is not stored; None where it is none, or old."""
    try:
        key = signing.loads(secret, salt=f"accounts.second_factor.{user.pk}", max_age=LIFE_S)
    except signing.BadSignature:
        return None
    return TOTPDevice(user=user, name="authenticator app", confirmed=False, key=key)


def secret_text(device: TOTPDevice) -> str:
    """The secret as it is typed into an app: base 32, in groups of four."""
    text = base64.b32encode(device.bin_key).decode().rstrip("=")
    return " ".join(text[i : i + 4] for i in range(0, len(text), 4))


def qr_code(device: TOTPDevice) -> str:
    """The address of the device as a QR code: an SVG image as a data URI."""
    code = segno.make(device.config_url, error="m", micro=False)
    return str(code.svg_data_uri(scale=5, border=4, dark="#000", light="#fff", xmldecl=False))


def confirm(*, device: TOTPDevice, text: str) -> list[str] | None:
    """Enable the second factor if ``text`` is a code of the new device; return the recovery codes, None if it is not.

    None, too, if the account has it already. The codes are shown once: only their digests are stored.
    """
    with transaction.atomic():
        user = User.objects.select_for_update().get(pk=device.user_id)
        if is_enabled(user) or not device.verify_token(_plain(text)):
            transaction.set_rollback(True)
            return None
        TOTPDevice.objects.filter(user=user).exclude(pk=device.pk).delete()
        device.confirmed = True
        device.save(update_fields=["confirmed"])
        return make_codes(user=user)


@transaction.atomic
def make_codes(*, user: User) -> list[str]:
    """Return new recovery codes; those before are no longer valid."""
    StaticDevice.objects.filter(user=user).delete()
    device = StaticDevice.objects.create(user=user, name="recovery codes", confirmed=True)
    codes = [base64.b32encode(secrets.token_bytes(_BYTES)).decode() for _ in range(CODES)]
    StaticToken.objects.bulk_create(StaticToken(device=device, token=_digest(code)) for code in codes)
    return ["-".join(code[i : i + 4] for i in range(0, 16, 4)) for code in codes]


def codes_left(user: User) -> int:
    """How many recovery codes were not used."""
    return StaticToken.objects.filter(device__user=user).count()


@transaction.atomic
def verify(*, user: User, text: str) -> bool:
    """Whether ``text`` is a valid code of the app or a recovery code. Either is good once."""
    plain = _plain(text)
    for device in devices_for_user(user, confirmed=True, for_verify=True):
        if device.verify_token(_digest(plain) if isinstance(device, StaticDevice) else plain):
            return True
    return False


@transaction.atomic
def remove(*, user: User) -> bool:
    """Log in by the password alone from now on; False if it was so before."""
    StaticDevice.objects.filter(user=user).delete()
    deleted, _ = TOTPDevice.objects.filter(user=user).delete()
    return bool(deleted)


def _plain(text: str) -> str:
    return "".join(text.upper().replace("-", "").split())[:40]


def _digest(code: str) -> str:
    made = salted_hmac("accounts.second_factor.recovery", code.encode("utf-8", "replace"), algorithm="sha256").digest()
    return base64.b32encode(made[:_BYTES]).decode()
