"""Mail on the console: a link can be copied."""

from io import StringIO

from django.core.mail import EmailMessage

from ouroboros_site.mail import EmailBackend

LINK = "http://127.0.0.1:8000/account/reset/MTIzNDU2/" + "abcdef-" + "0123456789abcdef" * 3 + "/"


def test_a_long_link_stays_whole():
    out = StringIO()
    body = f"You asked for it – here it is:\n\n{LINK}\n"
    message = EmailMessage("A new password", body, to=["ada@example.org"])
    assert EmailBackend(stream=out).send_messages([message]) == 1
    assert f"\n{LINK}\n" in out.getvalue()
    assert "To: ada@example.org\nSubject: A new password\n\nYou asked for it –" in out.getvalue()
