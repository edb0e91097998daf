"""Settings. Each that differs between machines comes from the environment; the defaults run on a laptop."""

import os
import secrets
import sys
from importlib.util import find_spec
from pathlib import Path

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from kombu import Queue

from dashboard.config import logs
from dashboard.config.secret_files import secret, with_password
from dashboard.core.home import broker_socket
from dashboard.maps.basemap import base_map
from dashboard.maps.remote_archive import archive_address
from dashboard.storage.settings import storage_backend

env = environ.Env()
BASE_DIR = Path(__file__).resolve().parent.parent.parent
INSTALLED_ASSETS = BASE_DIR / "dashboard" / "assets"
ASSETS_DIR = INSTALLED_ASSETS if INSTALLED_ASSETS.is_dir() else BASE_DIR
DEFAULT_HOME = Path.home() / ".local" / "share" / "cairn" if INSTALLED_ASSETS.is_dir() else BASE_DIR / "var"
LEDGER_KEY_CHARS = 32


def _home() -> Path:
    path = Path(env.str("CAIRN_HOME", default=str(DEFAULT_HOME))).expanduser().resolve()
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    (path / "tmp").mkdir(mode=0o700, exist_ok=True)  # Django's checks require the folder of uploads
    return path


def _ledger_key(home: Path) -> str:
    """The key of the ledger's digests and sketches: of its own, so that SECRET_KEY can be changed at any time."""
    key = secret("CAIRN_LEDGER_KEY") or _own_secret(home / "ledger.key")
    if len(key) < LEDGER_KEY_CHARS:
        raise ImproperlyConfigured(
            f"The ledger's key (CAIRN_LEDGER_KEY, CAIRN_LEDGER_KEY_FILE or {home / 'ledger.key'}) must have at least "
            f"{LEDGER_KEY_CHARS} characters, got {len(key)}"
        )
    return key


def _own_secret(path: Path) -> str:
    """The secret in a file of mode 0600, made on first use."""
    fresh = path.with_name(f".{path.stem}.{os.getpid()}")
    if not path.exists():
        fresh.touch(mode=0o600)
        fresh.write_text(secrets.token_urlsafe(64))
        try:
            os.link(fresh, path)  # atomic: of two first starts both read the same
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return path.read_text().strip()


def _seconds(name: str, default: float) -> float:
    seconds: float = env.float(name, default=default)
    if seconds <= 0:
        raise ImproperlyConfigured(f"{name} must be a number of seconds greater than 0, got {seconds:g}")
    return seconds


# State
CAIRN_HOME = _home()
sys.path.append(str(CAIRN_HOME / "plugins"))  # what `pip install --target` put there
CAIRN_PORT = env.int("CAIRN_PORT", default=8000)
CAIRN_HOST = env.str("CAIRN_HOST", default="127.0.0.1")
CAIRN_UPLOAD_BYTES = env.int("CAIRN_UPLOAD_MB", default=2500) * 1_000_000
CAIRN_BASE_MAP_BYTES = env.int("CAIRN_BASE_MAP_MB", default=50) * 1_000_000
CAIRN_PROXY_BYTES = env.int("CAIRN_PROXY_MB", default=0) * 1_000_000  # what the proxy takes; 0: not known
CAIRN_UPLOAD_HOURS = env.float("CAIRN_UPLOAD_HOURS", default=24.0)  # an unfinished upload is kept so long
CAIRN_QUOTA_BYTES = int(env.float("CAIRN_QUOTA_GB", default=0.0) * 1e9)  # of the uploads of a user; 0: no limit
# retention, in days; 0: as long as the account
CAIRN_TRAIL_DAYS = env.int("CAIRN_TRAIL_DAYS", default=365)
CAIRN_ORIGINAL_DAYS = env.int("CAIRN_ORIGINAL_DAYS", default=0)
CAIRN_FAILED_DAYS = env.int("CAIRN_FAILED_DAYS", default=0)  # of jobs that failed or were cancelled
CAIRN_EXPORT_HOURS = env.float("CAIRN_EXPORT_HOURS", default=48.0)  # the ZIP of an account's data is kept so long
CAIRN_LEASE_S = _seconds("CAIRN_LEASE_S", 15.0)
CAIRN_STALL_S = _seconds("CAIRN_STALL_S", 300.0)  # a job that makes no progress for so long is stopped
CAIRN_SWEEP_S = _seconds("CAIRN_SWEEP_S", 3.0)
CAIRN_MAX_ATTEMPTS = 3
CAIRN_BASE_MAP = base_map(env.str("CAIRN_TILES", default=""), env.str("CAIRN_TILES_ATTRIBUTION", default=""))
CAIRN_OPENSTREETMAP = env.bool("CAIRN_OPENSTREETMAP", default=True)  # whether its tile server is offered
CAIRN_MAP_ARCHIVE = archive_address(env.str("CAIRN_MAP_ARCHIVE", default=""))  # where maps of areas are fetched

SECRET_KEY = secret("CAIRN_SECRET_KEY") or _own_secret(CAIRN_HOME / "secret.key")
CAIRN_LEDGER_KEY = _ledger_key(CAIRN_HOME)
DEBUG = env.bool("CAIRN_DEBUG", default=False)
CAIRN_HTTPS = env.bool("CAIRN_HTTPS", default=False)
ALLOWED_HOSTS = env.list("CAIRN_ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]", CAIRN_HOST])
CSRF_TRUSTED_ORIGINS = env.list("CAIRN_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "dashboard.storage",
    "dashboard.accounts",
    "dashboard.projects",
    "dashboard.datasets",
    "dashboard.landmarks",
    "dashboard.releases",
    "dashboard.experiments",
    "dashboard.area_maps",
    "dashboard.attacks",
    "dashboard.audits",
    "dashboard.streams",
    "dashboard.publications",
    "dashboard.account_data",
    "dashboard.maintenance",
    "dashboard.launcher",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "dashboard.core.static_files.CollectedFiles",
    "rest_framework",
    "django_filters",
    "knox",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "leaflet",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "dashboard.config.compression.Compression",
    "dashboard.accounts.middleware.UserSessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "dashboard.accounts.middleware.UserResponses",
    "dashboard.projects.access.remember_roles",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "dashboard.config.urls"
WSGI_APPLICATION = "dashboard.config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ASSETS_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": [
                "dashboard.core.templatetags.display",
                "dashboard.core.templatetags.glossary",
                "dashboard.core.templatetags.modules",
                "dashboard.core.templatetags.number_fields",
                "dashboard.core.templatetags.tables",
                "dashboard.accounts.base_map_data",
                "dashboard.area_maps.map_data",
                "dashboard.onboarding.tour",
                "dashboard.projects.templatetags.access",
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "dashboard.jobs.positions.queue",
            ],
        },
    },
]

# Database: SQLite needs WAL and IMMEDIATE, or writers fail under load; PostgreSQL by DATABASE_URL
DATABASES = {"default": env.db_url_config(secret("DATABASE_URL", f"sqlite:///{CAIRN_HOME / 'cairn.sqlite3'}"))}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
    }
else:
    if find_spec("psycopg") is None:
        raise ImproperlyConfigured("DATABASE_URL names PostgreSQL, which needs pip install 'psycopg[binary]'")
    DATABASES["default"]["PASSWORD"] = secret("DATABASE_PASSWORD", DATABASES["default"]["PASSWORD"])
    DATABASES["default"]["CONN_MAX_AGE"] = 60
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
    # a host that is cut off is noticed by both sides in half a minute, and not after hours, in which the rows that it
    # locked would stay locked; over a Unix socket all this is without effect
    DATABASES["default"]["OPTIONS"] = {
        "connect_timeout": 10,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 25_000,
        "options": "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 "
        "-c tcp_user_timeout=25000",
        **DATABASES["default"].get("OPTIONS", {}),
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Broker: the row is the truth, the message a task_for; see dashboard/jobs/queue.py
REDIS_URL = secret("REDIS_URL", f"redis+socket://{broker_socket(CAIRN_HOME)}")
CELERY_BROKER_URL = with_password(REDIS_URL, secret("REDIS_PASSWORD"))
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = False  # its row is sent again, behind others: it may have ended its process
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_TIME_LIMIT = 1800
CELERY_TASK_SOFT_TIME_LIMIT = 1740
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_LOST_WAIT = 1.0  # for the result of a process that was killed: the row has it, and its place is needed
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 3600,  # longer than the longest job, or messages are delivered twice
    "socket_timeout": 5,
    "socket_connect_timeout": 5,
    "max_retries": 0,
}
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# a job model names its queue; workers of both take from them in turn: no release waits for hours of experiments
CELERY_TASK_DEFAULT_QUEUE = "interactive"
CELERY_TASK_QUEUES = [Queue("interactive"), Queue("batch")]
CAIRN_OWNER_WAITING = env.int("CAIRN_OWNER_WAITING", default=1000)  # jobs of an owner that may wait; 0: any number
CAIRN_OWNER_RUNNING = env.int("CAIRN_OWNER_RUNNING", default=0)  # and that may run at once

# People
AUTH_USER_MODEL = "accounts.User"
CSRF_FAILURE_VIEW = "dashboard.config.error_views.csrf_failure"
LOGIN_URL = "accounts:login"
LOGIN_REDIRECT_URL = "datasets:list"
LOGOUT_REDIRECT_URL = "accounts:login"
PASSWORD_RESET_TIMEOUT = 12 * 3600  # of a link that sets a password, s
CAIRN_USERS_INVITE = env.bool("CAIRN_USERS_INVITE", default=False)  # whether users, not administrators alone, invite
OTP_TOTP_ISSUER = "Cairn"
OTP_TOTP_THROTTLE_FACTOR = OTP_STATIC_THROTTLE_FACTOR = 0  # attempts are limited by accounts/attempts.py
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.ScryptPasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
]

# Mail, where it is configured: links that set a password, links that confirm an address
CAIRN_MAIL = bool(env.str("CAIRN_EMAIL_URL", default=""))
EMAIL_TIMEOUT = 20  # s
if CAIRN_MAIL:
    vars().update(env.email_url("CAIRN_EMAIL_URL"))
    DEFAULT_FROM_EMAIL = env.str("CAIRN_EMAIL_FROM", default="")
    if "@" not in DEFAULT_FROM_EMAIL:
        raise ImproperlyConfigured(
            f"With CAIRN_EMAIL_URL, CAIRN_EMAIL_FROM must be the address of the sender, got {DEFAULT_FROM_EMAIL!r}"
        )

# API
PERMISSIONS = [
    "rest_framework.permissions.IsAuthenticated",
    "dashboard.accounts.permissions.TokenScope",
    "dashboard.projects.permissions.ProjectRole",
]
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "dashboard.accounts.authentication.TokenAuthentication",  # first: an anonymous client receives 401, not 403
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": PERMISSIONS,
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PAGINATION_CLASS": "dashboard.core.rest.pagination.Pages",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_SCHEMA_CLASS": "dashboard.config.api_schema.Schema",
    "DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.UserRateThrottle"],
    "DEFAULT_THROTTLE_RATES": {
        "user": env.str("CAIRN_THROTTLE", default="6000/min"),
        "public": env.str("CAIRN_PUBLIC_THROTTLE", default="600/min"),
    },
    "EXCEPTION_HANDLER": "dashboard.core.rest.exception_handler.api_errors",
    "NUM_PROXIES": env.int("CAIRN_PROXIES", default=0),  # 0: X-Forwarded-For is not believed
    "DEFAULT_VERSIONING_CLASS": None,
    "URL_FORMAT_OVERRIDE": None,  # ?format= names a file format here
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
KNOX_TOKEN_MODEL = "accounts.ApiToken"  # noqa: S105  a model
REST_KNOX = {"AUTH_HEADER_PREFIX": "Token"}
SPECTACULAR_SETTINGS = {
    "TITLE": "Cairn",
    "DESCRIPTION": "Landmark privacy for location histories: datasets, landmark sets, releases.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": PERMISSIONS,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    # the schema lists all shapes; a link inside a button would not be valid HTML
    # a text is taken as JavaScript: the layout is static/js/pages/swagger_layout.js
    "SWAGGER_UI_SETTINGS": "{defaultModelsExpandDepth: -1, deepLinking: false, displayRequestDuration: true, "
    "layout: 'CairnLayout', plugins: [window.cairnLayout]}",
    "DEFAULT_GENERATOR_CLASS": "dashboard.config.openapi.Generator",
    "SCHEMA_PATH_PREFIX": r"/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "JobStateEnum": "dashboard.jobs.models.State",
        "DatasetStateEnum": "dashboard.datasets.serializers.STATES",
        "RoleEnum": "dashboard.projects.models.Role",
        "MemberRoleEnum": "dashboard.projects.serializers.ROLES",
        "VerdictNameEnum": "dashboard.releases.serializers.VERDICTS",
        "UtilityNameEnum": "dashboard.releases.serializers.UTILITIES",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "dashboard.config.openapi.pydantic_schemas",
        "dashboard.config.openapi.closed_bodies",
        "dashboard.config.openapi.responses_of_all",
    ],
}

# Uploads stream to disk, never to memory, and never under a name of the uploader's choosing
FILE_UPLOAD_HANDLERS = ["dashboard.storage.uploads.CappedFileHandler"]
FILE_UPLOAD_TEMP_DIR = str(CAIRN_HOME / "tmp")
FILE_UPLOAD_PERMISSIONS = 0o600
DATA_UPLOAD_MAX_MEMORY_SIZE = 8_000_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 200

# Static files: packages' and ours, collected by whoever starts the web server (dashboard/core/static_files.py)
STATIC_URL = "static/"
CAIRN_COLLECTED = env.bool("CAIRN_COLLECTED", default=False)  # as the image has them
STATIC_ROOT = BASE_DIR / "staticfiles" if CAIRN_COLLECTED else CAIRN_HOME / "run" / "static"
STATICFILES_DIRS = [ASSETS_DIR / "static"]
CAIRN_DOCS = ASSETS_DIR / "site" if ASSETS_DIR == INSTALLED_ASSETS else BASE_DIR / "build" / "site"
STORAGES = {
    "default": storage_backend(env, CAIRN_HOME),  # what users upload and Cairn makes
    "staticfiles": {"BACKEND": "dashboard.core.static_files.JoinedStaticFilesStorage"},
}

# Browser
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:", "blob:"],  # and the tile server of users who agreed to it: accounts/tile_policy.py
        "font-src": [SELF, "data:"],
        "connect-src": [SELF],
        "worker-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        "manifest-src": [SELF],
    }
}
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_ENGINE = "dashboard.accounts.session_store"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
if CAIRN_HTTPS:
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-cairn", "__Host-csrf"
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SECURE_SSL_REDIRECT = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 31_536_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = True
else:
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = f"cairn_{CAIRN_PORT}", f"csrf_{CAIRN_PORT}"

LEAFLET_CONFIG = {"TILES": [], "NO_GLOBALS": False, "RESET_VIEW": False, "ATTRIBUTION_PREFIX": ""}

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

# Logs: codes and ids, never a coordinate, a file's text or a query string
LOGGING = logs.configuration(env.str("CAIRN_LOG", default="INFO"))
