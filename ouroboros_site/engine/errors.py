"""The kinds of refusal. Each has a stable code and a sentence that a player understands.

The sentence is kept as an English template with its figures beside it, so that the site can
translate the template and fill in the same figures.
"""


def gettext_noop(message: str) -> str:
    """Mark a text for translation and return it unchanged; the site translates it when shown."""
    return message


class RulesError(Exception):
    """Something that the rules do not accept; nothing has changed.

    :param code: stable, for programs ("bribe-cost")
    :param template: an English sentence with ``%(name)s`` places, marked with gettext_noop
    :param params: what fills the places
    """

    def __init__(self, code: str, template: str, **params: object) -> None:
        self.code = code
        self.template = template
        self.params = params
        super().__init__(code, template, params)

    @property
    def message(self) -> str:
        """The sentence in English, filled in."""
        return self.template % self.params

    def __str__(self) -> str:
        return self.message


class InvalidMove(RulesError):
    """A text that cannot be read as a move of this game."""


class IllegalMove(RulesError):
    """A move that may not be played in this position."""


class InvalidRecord(RulesError):
    """A record, or a position in it, that is not one of this game."""
