"""The site as it is deployed: in processes of its own, with settings from the environment."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

ROOT = Path(__file__).parents[2]
PRODUCTION = {
    "ALLOWED_HOSTS": "ouroboros.example,www.ouroboros.example",
    "CSRF_TRUSTED_ORIGINS": "https://ouroboros.example",
    "EMAIL_URL": "smtp+tls://post:secret@mail.example:587",
    "HTTPS": "true",
    "SECRET_KEY": "Vq3-" * 20 + "x9_LmNoPqRsTuVw",
}

# Asks the site, as it is configured by the environment, for some addresses; prints the answers.
ASK = """
import json, sys
from django.core.wsgi import get_wsgi_application
from django.test import RequestFactory
application = get_wsgi_application()
answers = []
for path, headers in json.loads(sys.argv[1]):
    environ = RequestFactory(headers=headers).get(path).environ
    got = {}
    def start(status, headers, exc_info=None):
        got.update(status=int(status.split()[0]), headers=headers)
        return lambda data: None
    response = application(environ, start)
    body = b"".join(response)
    getattr(response, "close", lambda: None)()
    got.update(length=len(body), body=body.decode("latin-1"))
    answers.append(got)
print(json.dumps(answers))
"""


def run(folder: Path, *command: str, status: int = 0, **variables: str):
    """Run Python in the project with only these settings in its environment."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name in ("PATH", "HOME", "LANG", "SYSTEMROOT", "PYTHONPATH")
    }
    environment |= {"DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "ouroboros_site.settings"}
    result = subprocess.run(
        [sys.executable, "-W", "error", *command],
        cwd=ROOT,
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == status, result.stdout + result.stderr
    return result


def ask(folder: Path, *questions: tuple[str, dict[str, str]], **variables: str) -> list:
    command = ["-W", "ignore:No directory at", "-c", ASK, json.dumps(questions)]
    result = run(folder, *command, **variables)
    return json.loads(result.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """A data folder with the database and the static files in it, as after a deployment."""
    folder = tmp_path_factory.mktemp("site")
    run(folder, "manage.py", "migrate", "-v", "0", **PRODUCTION)
    run(folder, "manage.py", "collectstatic", "--no-input", "-v", "0", **PRODUCTION)
    return folder


# -- checks ---------------------------------------------------------------------------------------


def test_the_deployment_check_is_clean(tmp_path):
    result = run(
        tmp_path, "manage.py", "check", "--deploy", "--fail-level", "WARNING", **PRODUCTION
    )
    assert "no issues (0 silenced)" in result.stdout
    assert not settings.SILENCED_SYSTEM_CHECKS


def test_the_deployment_check_would_find_something(tmp_path):
    result = run(
        tmp_path, "manage.py", "check", "--deploy", "--fail-level", "WARNING", "--no-color",
        status=1, **PRODUCTION | {"HTTPS": "false"},
    )  # fmt: skip
    assert "SECURE_SSL_REDIRECT" in result.stderr


@pytest.mark.django_db
def test_migrations_say_what_the_models_say(capsys):
    call_command("makemigrations", check=True, dry_run=True)
    assert "No changes detected" in capsys.readouterr().out


def test_nothing_needs_to_be_set(tmp_path):
    run(tmp_path, "manage.py", "check")
    key = tmp_path / "secret-key"
    assert len(key.read_text()) >= 50
    assert key.stat().st_mode & 0o077 == 0
    before = key.read_text()
    run(tmp_path, "manage.py", "check")
    assert key.read_text() == before


# -- the running site -----------------------------------------------------------------------------

HOST = {"Host": "ouroboros.example"}
SAFE = {**HOST, "X-Forwarded-Proto": "https"}


@pytest.fixture(scope="module")
def answers(site):
    """What the site says to some requests, each in one process, in production."""
    questions = {
        "home": ("/", SAFE),
        "nothing": ("/nothing", SAFE),
        "health": ("/healthz", HOST),
        "plain": ("/", HOST),
        "other host": ("/", {**SAFE, "Host": "evil.example"}),
        "other host behind the proxy": ("/", {**SAFE, "X-Forwarded-Host": "evil.example"}),
    }
    return dict(zip(questions, ask(site, *questions.values(), **PRODUCTION), strict=True))


def headers_of(answer) -> dict[str, str]:
    return {name.lower(): value for name, value in answer["headers"]}


def test_pages_and_their_headers(answers):
    home, nothing = answers["home"], answers["nothing"]
    assert [home["status"], nothing["status"]] == [200, 404]
    for answer in (home, nothing):
        headers = headers_of(answer)
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        age, *rest = headers["strict-transport-security"].split("; ")
        assert int(age.removeprefix("max-age=")) >= 31536000
        assert set(rest) == {"includeSubDomains", "preload"}
    cookie = headers_of(home)["set-cookie"]
    assert cookie.startswith("csrftoken=") and "Secure" in cookie and "SameSite=Lax" in cookie
    assert "localhost" not in home["body"] and "http://" not in home["body"].replace(
        "http://www.w3.org/2000/svg", ""
    )


def test_the_session_cookie_is_secure(site):
    code = (
        "import django; django.setup()\n"
        "from django.test import Client\n"
        "c = Client(headers={'Host': 'ouroboros.example', 'X-Forwarded-Proto': 'https'})\n"
        "r = c.post('/laws/start')\n"
        "m = r.cookies['sessionid']\n"
        "print(r.status_code, m['secure'], m['httponly'], m['samesite'])\n"
    )
    result = run(site, "-c", code, **PRODUCTION)
    assert result.stdout.split() == ["302", "True", "True", "Lax"]


def test_http_is_sent_to_https_but_for_the_health_check(answers):
    assert answers["plain"]["status"] == 301
    assert headers_of(answers["plain"])["location"] == "https://ouroboros.example/"
    assert (answers["health"]["status"], answers["health"]["body"]) == (200, "ok\n")


def test_other_hosts_are_refused(answers):
    assert answers["other host"]["status"] == 400
    assert answers["other host"]["body"].startswith("<!DOCTYPE html>")
    assert answers["other host behind the proxy"]["status"] == 200
    assert "evil.example" not in answers["other host behind the proxy"]["body"]


def test_faults_show_nothing_of_the_inside(answers):
    for name in ("nothing", "other host"):
        for word in ("urlpatterns", "DEBUG", "ouroboros_site", "Traceback"):
            assert word not in answers[name]["body"]


def test_static_files_are_hashed_compressed_and_kept_for_good(site, answers):
    names = re.findall(r'(?:href|src)="(/static/[^"#]+)', answers["home"]["body"])
    assert {name.rsplit(".")[-1] for name in names} >= {"css", "js", "svg"}
    for name in names:
        assert re.search(r"\.[0-9a-f]{12}\.(css|js|svg)$", name), name
    files = [(name, encoding) for name in sorted(set(names)) for encoding in ("br", "gzip")]
    questions = [(name, {**SAFE, "Accept-Encoding": encoding}) for name, encoding in files]
    for (name, encoding), answer in zip(files, ask(site, *questions, **PRODUCTION), strict=True):
        headers = headers_of(answer)
        assert answer["status"] == 200, name
        assert "immutable" in headers["cache-control"], name
        assert "max-age=315360000" in headers["cache-control"], name
        if answer["length"] > 1000:
            assert headers["content-encoding"] == encoding, name
            assert headers["vary"] == "Accept-Encoding"


def test_styles_and_scripts_hold_nothing_that_the_policy_forbids(site):
    for file in (ROOT / "static").rglob("*"):
        if file.suffix not in (".css", ".js", ".svg"):
            continue
        text = file.read_text("utf-8")
        outside = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"')]*", text))
        outside = {address for address in outside if "www.w3.org" not in address}
        assert not outside, f"{file.name} reaches out: {outside}"
        if file.suffix == ".js":
            assert not re.search(r"\beval\(|new Function|\.innerHTML\s*=|document\.write", text)
        if file.suffix == ".css":
            assert "data:" not in text, f"{file.name}: img-src allows no data: addresses"


def test_the_database_address_comes_from_the_environment(tmp_path):
    code = (
        "from django.conf import settings as s\n"
        "d = s.DATABASES['default']\n"
        "print(d['ENGINE'], d['NAME'], d.get('HOST'), 'OPTIONS' in d and d['OPTIONS'])\n"
    )
    words = run(tmp_path, "-c", code).stdout
    assert str(tmp_path / "ouroboros.sqlite3") in words
    assert "journal_mode=WAL" in words and "IMMEDIATE" in words
    address = "postgres://someone:secret@db.example:5433/games"
    words = run(tmp_path, "-c", code, DATABASE_URL=address).stdout
    assert words.startswith("django.db.backends.postgresql games db.example")
    assert "WAL" not in words
