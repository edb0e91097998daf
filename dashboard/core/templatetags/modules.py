"""Style sheets and scripts of a page: ``{% styles "table" "parts" %}``, ``{% module "js/pages/x.js" %}``."""

from django import template
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.templatetags.static import static
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
    """The cookie that static/js/core/csrf.js reads. The token itself would give every error page a cookie to set."""
    return settings.CSRF_COOKIE_NAME
