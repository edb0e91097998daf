"""Style sheets, scripts and navigation of a page: ``{% styles "table" %}``, ``{% module "js/pages/x.js" %}``."""

from typing import Any

from django import template
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from dashboard.core.static_files import joined_name

register = template.Library()


@register.simple_tag
def module(path: str) -> SafeString:
    """The script element of a page's module."""
    return format_html('<script type="module" src="{}"></script>', static(path))


@register.simple_tag
def styles(*names: str) -> SafeString:
    """The links to style sheets of ``static/css``, in this order; to a sheet with all where they are collected."""
    paths = [joined_name(names)] if hasattr(staticfiles_storage, "joins") else [joined_name([name]) for name in names]
    return format_html_join("\n", '<link rel="stylesheet" href="{}">', ((static(path),) for path in paths))


@register.simple_tag
def csrf_cookie_name() -> str:
    """The cookie that static/js/core/session.js reads. The token itself would give every error page a cookie to set."""
    return settings.CSRF_COOKIE_NAME


@register.simple_tag(takes_context=True)
def leads_to(context: Any, view: str, *sections: str) -> SafeString:
    """The attributes of a link of the navigation: whether the page is that one, or in one of ``sections``.

    A page is in the ``section`` of its context, or else in that of its app; that of the tokens is a section alone.
    """
    match = context["request"].resolver_match
    here, app = (match.view_name, match.app_name) if match else ("", "")
    section = context.get("section") or ("" if here == "accounts:tokens" else app)
    current = format_html(' aria-current="{}"', "page" if here == view else "true")
    return format_html(' href="{}"{}', reverse(view), current if here == view or section in sections else "")
