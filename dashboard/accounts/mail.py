"""Mail: texts to users who confirmed an address, sent after the response, so that its time shows nothing."""

import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string

logger = logging.getLogger(__name__)
_sender = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mail")


def send_later(to: str, template: str, **context: Any) -> None:
    """Send a text in another thread. The first line of the template is the subject. A failure is logged."""
    subject, _, body = render_to_string(template, context).partition("\n")
    _sender.submit(_send, EmailMessage(subject.strip(), body.strip() + "\n", to=[to]))


def report(user: Any, what: str) -> None:
    """Report a change of the account to its user, where mail is configured and they have an address."""
    if settings.CAIRN_MAIL and user.email:
        send_later(user.email, "accounts/mail/changed.txt", user=user, what=what)


def _send(message: EmailMessage) -> None:
    try:
        message.send()
    except Exception as error:  # of the server of mail: names no address and no text
        logger.error("mail not sent: %s", type(error).__name__)


def wait_until_sent() -> None:
    """Return once all that :func:`send_later` took before is sent."""
    _sender.submit(lambda: None).result()
