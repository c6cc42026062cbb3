"""Mail for a site without a mail server: printed where the server runs, as a person reads it."""

from django.core.mail import EmailMessage
from django.core.mail.backends import console


class EmailBackend(console.EmailBackend):
    """Django's console mailer, without the encoding that breaks long links in two."""

    def write_message(self, message: EmailMessage) -> None:
        """Print who it is for, its subject and its text."""
        lines = [f"To: {', '.join(message.to)}", f"Subject: {message.subject}", "", message.body]
        self.stream.write("\n".join([*lines, "-" * 79, ""]))
