"""Settings. Everything that differs between machines comes from environment variables.

With none set, the site runs on this machine only, on SQLite, with its data in ``data/``.
``docs/`` and the README name the variables.
"""

import os
from contextlib import suppress
from pathlib import Path
from secrets import token_urlsafe
from tempfile import NamedTemporaryFile

import environ
from django.contrib.messages import constants as message_levels
from django.utils.csp import CSP

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

DATA_DIR = Path(env.str("DATA_DIR", default=str(BASE_DIR / "data")))
DEBUG = env.bool("DEBUG", default=False)
HTTPS = env.bool("HTTPS", default=False)
"""Whether people reach the site by https (through a proxy that sets X-Forwarded-Proto)."""


def _secret_key() -> str:
    """The key from the environment, else one made once and kept with the data."""
    if key := env.str("SECRET_KEY", default=""):
        return key
    file = DATA_DIR / "secret-key"
    if not file.exists():
        DATA_DIR.mkdir(parents=True, exist_ok=True)
        # Linked into place whole: another process may be making one at the same moment.
        with NamedTemporaryFile("w", dir=DATA_DIR) as draft:
            draft.write(token_urlsafe(64))
            draft.flush()
            with suppress(FileExistsError):
                os.link(draft.name, file)
    return file.read_text()


SECRET_KEY = _secret_key()
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "ouroboros_site.accounts",
    "ouroboros_site.play",
    "ouroboros_site.leaderboards",
    "solitaire",
    "tricks",
    "django_htmx",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "ouroboros_site.play.middleware.health",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "ouroboros_site.play.middleware.htmx_answers",
    "ouroboros_site.play.middleware.limit_body",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "ouroboros_site.urls"
WSGI_APPLICATION = "ouroboros_site.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "ouroboros_site.accounts.context_processors.look",
            ],
        },
    },
]

# A move must never half apply: SQLite takes the write lock at BEGIN (a deferred one fails when two
# moves meet), and readers go on meanwhile in WAL mode.
DATABASES = {
    "default": env.db("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'ouroboros.sqlite3'}")
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        "transaction_mode": "IMMEDIATE",
        "timeout": 10,
    }
# Pages run in threads that live as long as the server, so a connection may be kept.
DATABASES["default"]["CONN_MAX_AGE"] = None
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env.str("REDIS_URL", default="")
if REDIS_URL:
    CACHES = {
        "default": {
            "BACKEND": "ouroboros_site.cache.ForgivingRedisCache",
            "LOCATION": REDIS_URL,
        }
    }

RATE_LIMITS = env.bool("RATE_LIMITS", default=True)
"""Whether log-in, sign-up and the like are limited in rate; off for tests and measurements."""

AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "log_in"
LOGIN_REDIRECT_URL = "account"
MAILERS = {"default": {"BACKEND": "ouroboros_site.mail.EmailBackend"}}
if EMAIL_URL := env.str("EMAIL_URL", default=""):
    mail = env.email("EMAIL_URL")
    MAILERS["default"]["BACKEND"] = mail["EMAIL_BACKEND"]
    if mail["EMAIL_HOST"]:
        MAILERS["default"]["OPTIONS"] = {
            "host": mail["EMAIL_HOST"],
            "port": mail["EMAIL_PORT"],
            "username": mail["EMAIL_HOST_USER"],
            "password": mail["EMAIL_HOST_PASSWORD"],
            "use_tls": mail.get("EMAIL_USE_TLS", False),
            "use_ssl": mail.get("EMAIL_USE_SSL", False),
            "timeout": 10,
        }
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="Ouroboros <ouroboros@localhost>")
# A guest is nothing but a session: it must last, or the games are lost.
SESSION_COOKIE_AGE = 400 * 24 * 60 * 60
MESSAGE_LEVEL = message_levels.INFO

# The largest honest request is a move with a few cards; a view that takes more says so
# (play.middleware.body_limit), up to what Django reads.
BODY_LIMIT = 64 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 100

SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "worker-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "manifest-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
CSRF_FAILURE_VIEW = "ouroboros_site.play.views.csrf_failure"
if HTTPS:
    SECURE_SSL_REDIRECT = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", default=365 * 24 * 60 * 60)
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True

LANGUAGE_CODE = "en"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
LOCALE_PATHS = [BASE_DIR / "locale"]

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = DATA_DIR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
WHITENOISE_KEEP_ONLY_HASHED_FILES = True

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
}
