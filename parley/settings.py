"""All settings of Parley, read from the environment. A malformed value stops the start with its name."""

import os
from pathlib import Path

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from parley.environment import (
    database,
    env_addresses,
    env_bool,
    env_choice,
    env_int,
    env_list,
    env_text,
    kept_secret,
    redis_address,
)

BASE_DIR = Path(__file__).resolve().parent.parent
# numpy reads this when it is imported. Where processes share the cores, threads of one calculation wait for each other:
# the model of 35,000 ratings then takes ten times as long.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# --- environment -----------------------------------------------------------------------------------
ENVIRONMENT = env_choice("PARLEY_ENV", ("local", "production"))
IS_PRODUCTION = ENVIRONMENT == "production"
DEBUG = env_bool("PARLEY_DEBUG", False)
DATA_DIR = Path(env_text("PARLEY_DATA", str(BASE_DIR / "var"))).absolute()

SECRET_KEY = env_text("PARLEY_SECRET_KEY")
ALLOWED_HOSTS = env_list("PARLEY_ALLOWED_HOSTS", () if IS_PRODUCTION else ("localhost", "127.0.0.1", "[::1]"))
if IS_PRODUCTION:
    if len(SECRET_KEY) < 32:
        raise ImproperlyConfigured("PARLEY_SECRET_KEY is needed in production: 32 random characters or more.")
    if not ALLOWED_HOSTS:
        raise ImproperlyConfigured("PARLEY_ALLOWED_HOSTS is needed in production, for example rate.example.org.")
    if DEBUG:
        raise ImproperlyConfigured("PARLEY_DEBUG cannot be on in production: error pages would show data.")
    for _name in ("DATABASE_URL", "REDIS_URL"):
        if not env_text(_name):
            raise ImproperlyConfigured(f"{_name} is needed in production.")
else:
    SECRET_KEY = SECRET_KEY or kept_secret(DATA_DIR / "secret.key")

DATABASE_URL = env_text("DATABASE_URL", "postgres:///parley?host=/nowhere")
REDIS_URL = env_text("REDIS_URL", "redis+socket:///nowhere?virtual_host=0")
REDIS_ADDRESS = redis_address(REDIS_URL)
BEHIND_TLS = env_bool("PARLEY_TLS", IS_PRODUCTION)

# --- Django ----------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "parley",
    "protocols",
    "annotation",
    "qualification",
    "reporting",
    "archive",
    "parley.admin_app.AdministrationConfig",
    "nested_admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.humanize",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "csp",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "rest_framework",
    "rest_framework.authtoken",
    "drf_spectacular",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    # Above WhiteNoise: without collected files, styles would be sent uncompressed.
    "django.middleware.gzip.GZipMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "parley.urls"
WSGI_APPLICATION = "parley.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "libraries": {  # loaded by templates
                "acceptance": "qualification.acceptance.tags",
                "activity": "qualification.activity.tags",
                "board": "reporting.board.tags",
                "explained": "reporting.tags",
                "pay": "qualification.pay.tags",
                "pilot": "qualification.pilot.tags",
                "qualifying": "qualification.qualifying.tags",
                "report": "reporting.report.tags",
            },
        },
    },
]

DATABASES = {"default": database(DATABASE_URL)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# For throttles and sign-in limits only: data in the cache may be lost.
CACHES = {
    "default": {
        "BACKEND": "parley.cache.ForgivingRedisCache",
        "LOCATION": REDIS_ADDRESS,
        "KEY_PREFIX": "parley",
        # Without timeouts, a server that does not answer would block every response of the API.
        "OPTIONS": {"socket_timeout": 1, "socket_connect_timeout": 1},
    }
}

LANGUAGE_CODE = "en"  # for browsers that ask for none of the languages below, and for everything that is not a page
LANGUAGES = [("en", "English"), ("it", "Italiano"), ("zh-hans", "简体中文")]
LANGUAGE_COOKIE_AGE = 60 * 60 * 24 * 365
LANGUAGE_COOKIE_SAMESITE = "Lax"
LOCALE_PATHS = [BASE_DIR / "parley" / "locale"]
FORMAT_MODULE_PATH = "parley.formats"
TIME_ZONE = env_text("PARLEY_TIME_ZONE", "UTC")
USE_I18N = True
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles" if IS_PRODUCTION else None  # locally, files are served in place
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "parley.joined.JoinedFinder",
]
WHITENOISE_USE_FINDERS = not IS_PRODUCTION
WHITENOISE_AUTOREFRESH = False
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if IS_PRODUCTION
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.TemporaryFileUploadHandler"]
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024  # one answer with a long free text, not a file
UPLOAD_MAX_BYTES = env_int("PARLEY_UPLOAD_MAX_MB", 512, least=1) * 1024 * 1024

# --- sign-in ---------------------------------------------------------------------------------------
AUTHENTICATION_BACKENDS = [
    "parley.backends.AccountBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
ACCOUNT_LOGOUT_REDIRECT_URL = "home"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_ADAPTER = "parley.adapters.AccountAdapter"
ACCOUNT_FORMS = {"login": "parley.forms.LoginForm"}
PARLEY_OPEN_SIGNUP = env_bool("PARLEY_OPEN_SIGNUP", False)
# Without a mail server nothing is sent, and the sign-in page does not offer to.
EMAIL_HOST = env_text("PARLEY_EMAIL_HOST")
EMAIL_PORT = env_int("PARLEY_EMAIL_PORT", 587, least=1)
EMAIL_HOST_USER = env_text("PARLEY_EMAIL_USER")
EMAIL_HOST_PASSWORD = env_text("PARLEY_EMAIL_PASSWORD")
EMAIL_USE_TLS = env_bool("PARLEY_EMAIL_TLS", True)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env_text("PARLEY_EMAIL_FROM", "parley@localhost")
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend"

SESSION_ENGINE = "parley.sessions"
SESSION_COOKIE_AGE = 60 * 60 * 24 * 30  # a batch is often finished days after the first sign-in
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = SECURE_SSL_REDIRECT = BEHIND_TLS
SECURE_HSTS_SECONDS = 60 * 60 * 24 * 365 if BEHIND_TLS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = env_bool("PARLEY_HSTS_SUBDOMAINS", False)  # not all of them may use TLS
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if env_bool("PARLEY_BEHIND_PROXY", False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
CSRF_TRUSTED_ORIGINS = env_list("PARLEY_TRUSTED_ORIGINS")

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

# --- API -------------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        # Tokens come first: the first class decides that an anonymous request gets 401 rather than 403.
        "rest_framework.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_PAGINATION_CLASS": "parley.pagination.Pagination",
    "DEFAULT_THROTTLE_CLASSES": ["parley.throttling.Throttle"],
    "EXCEPTION_HANDLER": "parley.errors.exception_handler",
    "PAGE_SIZE": 50,
}
API_REQUESTS_PER_MINUTE = env_int("PARLEY_API_REQUESTS_PER_MINUTE", 1200, least=1)
SPECTACULAR_SETTINGS = {
    "TITLE": "Parley API",
    "DESCRIPTION": "Studies, imports, batches, ratings, agreement and reports. Sign in by session or token.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "POSTPROCESSING_HOOKS": ["drf_spectacular.hooks.postprocess_schema_enums", "parley.schema.describe_errors"],
    "ENUM_NAME_OVERRIDES": {
        "ImportKindEnum": "annotation.models.ImportJob.Kind",
        "ImportStatusEnum": "annotation.models.ImportJob.Status",
        "BatchKindEnum": "annotation.models.Batch.Kind",
        "StatusEnum": "annotation.models.Study.Status",
        "WantedStatusEnum": ["open", "closed"],
        "PersonStatusEnum": "annotation.models.Participant.Status",
    },
}

# --- Celery -----------------------------------------------------------------------------------------
CELERY_BROKER_URL = REDIS_URL
# Nobody reads results: state lives in PostgreSQL.
CELERY_RESULT_BACKEND = None
CELERY_TASK_IGNORE_RESULT = True
# A task leaves the queue when it is done, so that the task of a killed worker is delivered again.
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# Longer than the longest task; the two restore settings bring a killed worker's task back in seconds.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 3600,
    "unacked_restore_throttle": 1,
    "unacked_restore_interval": 5,
    "socket_timeout": 5,
    "socket_connect_timeout": 2,
    # A request that publishes must not wait for a missing broker; workers have their own retries.
    "max_retries": 0,
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A missing broker must not block a request: the sweep does the work of a lost message.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TASK_DEFAULT_QUEUE = "live"
LONG_TASKS = (
    "annotation.tasks.run_import",
    "annotation.tasks.run_judge",
    "reporting.tasks.make_report",
    "reporting.tasks.run_export",
)
CELERY_TASK_ROUTES = {task: {"queue": "long"} for task in LONG_TASKS}
CELERY_TASK_TIME_LIMIT = 3300
CELERY_TASK_SOFT_TIME_LIMIT = 3000
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# beat -> worker -> row: the heartbeat proves all three at once.
CELERY_BEAT_SCHEDULE = {
    "sweep-acceptance": {"task": "qualification.tasks.sweep_acceptance", "schedule": 2.0, "options": {"expires": 10}},
    "sweep-disagreements": {
        "task": "qualification.tasks.sweep_disagreements",
        "schedule": 2.0,
        "options": {"expires": 10},
    },
    "sweep-pay": {"task": "qualification.tasks.sweep_pay", "schedule": 5.0, "options": {"expires": 10}},
    "sweep-signals": {"task": "qualification.tasks.sweep_signals", "schedule": 15.0, "options": {"expires": 14}},
    "sweep": {"task": "annotation.tasks.sweep", "schedule": 1.0, "options": {"expires": 10}},
    "sweep-attempts": {"task": "qualification.tasks.sweep_attempts", "schedule": 1.0, "options": {"expires": 10}},
    # An import whose message was lost with a dying broker must not wait for somebody to notice.
    "requeue-imports": {"task": "annotation.tasks.requeue_imports", "schedule": 60.0, "options": {"expires": 50}},
    "forget-reports": {"task": "reporting.tasks.forget_reports", "schedule": 60.0, "options": {"expires": 50}},
    "tend-exports": {"task": "reporting.tasks.tend_exports", "schedule": 60.0, "options": {"expires": 50}},
    "tend-judges": {"task": "annotation.tasks.tend_judges", "schedule": 60.0, "options": {"expires": 50}},
    "keep-consent-texts": {
        "task": "qualification.tasks.keep_consents",
        "schedule": 10.0,
        "options": {"expires": 10},
    },
    "heartbeat": {"task": "annotation.tasks.beat_heart", "schedule": 5.0, "options": {"expires": 10}},
    "heartbeat-long": {
        "task": "annotation.tasks.beat_heart",
        "schedule": 10.0,
        "args": ["long"],
        "options": {"expires": 20, "queue": "long"},
    },
}
# --- reports -------------------------------------------------------------------------------------------
# Reports of more answers than these are made by a worker and kept; smaller ones are made when somebody looks.
REPORT_AT_ONCE = env_int("PARLEY_REPORT_AT_ONCE", 1000, least=0)

# --- model judges: off unless an endpoint is named ----------------------------------------------------
# Requests, and the key with them, go only to these addresses.
JUDGE_ENDPOINTS = env_addresses("PARLEY_JUDGE_URL")
JUDGE_API_KEY = env_text("PARLEY_JUDGE_API_KEY")
JUDGE_TIMEOUT_SECONDS = env_int("PARLEY_JUDGE_TIMEOUT_SECONDS", 60, least=1)

# Called with the participant and the batch in the transaction of a claim; each may raise Refused. They are given by
# name because annotation must not import qualification.
CLAIM_GUARDS = ["qualification.qualifying.services.rule.check_claim"]
# What the apps above show on annotation's pages, given by name for the same reason.
SLOTS = "reporting.slots.SLOTS"
WORKER_SILENT_AFTER = 30  # seconds without a heartbeat after which pages say that no worker runs

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env_text("PARLEY_LOG_LEVEL", "WARNING").upper()},
}
