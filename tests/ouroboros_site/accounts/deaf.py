"""A mail server that does not answer."""

from django.core.mail.backends.base import BaseEmailBackend


class Backend(BaseEmailBackend):
    def send_messages(self, messages):
        raise ConnectionRefusedError
