"""Names of accounts: which are allowed, and which could be taken for one another."""

import re
import unicodedata
from functools import cache

from confusable_homoglyphs.confusables import confusables_data
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

SHORTEST, LONGEST = 3, 20
RESERVED = ("admin", "administrator", "moderator", "staff", "guest", "ouroboros", "reviewer")
_MARKS = re.compile(r"[‎‏]")


def clean(name: str) -> str:
    """A name as it is stored: composed, with compatibility forms replaced (NFKC).

    :raises ValidationError: if it is not 3 to 20 letters, digits, ``-`` and ``_``, if accents are
        piled up, or if it is kept for the site itself
    """
    name = unicodedata.normalize("NFKC", name)
    if not SHORTEST <= len(name) <= LONGEST:
        raise ValidationError(_("A name has 3 to 20 characters."), code="length")
    if not all(character in "-_" or _kind(character) in "LNM" for character in name):
        raise ValidationError(_("A name is made of letters, digits, - and _."), code="characters")
    # Many scripts write vowels as marks on a letter; a heap of them is no writing.
    kinds = "".join(_kind(character) for character in name)
    if kinds[0] == "M" or re.search("MMM|[^LM]M", kinds):
        raise ValidationError(_("A name is made of letters, digits, - and _."), code="marks")
    if "L" not in kinds and "N" not in kinds:
        raise ValidationError(_("A name needs a letter or a digit."), code="empty")
    if key(name) in _reserved():
        raise ValidationError(_("This name is kept for the site itself."), code="reserved")
    return name


def _kind(character: str) -> str:
    """``L`` for a letter, ``N`` for a decimal digit, ``M`` for a mark, else ``-``."""
    category = unicodedata.category(character)
    if category[0] in "LM":
        return category[0] if category != "Me" else "-"
    return "N" if category == "Nd" else "-"


def key(name: str) -> str:
    """The same for all names that a person could take for this one: case and look-alikes.

    >>> key("mod3rn") == key("rnod3RN")
    True
    >>> key("Anna") == key("Hanna")
    False

    After the skeleton of Unicode's UTS 39. ``i``, ``l`` and ``1`` count as one too: which of them
    an ``I`` is meant to be cannot be seen.
    """
    skeleton = name
    for _round in range(2):  # a capital's look-alike is another letter than the small one's
        skeleton = unicodedata.normalize("NFKC", skeleton).casefold()
        skeleton = unicodedata.normalize("NFD", skeleton)
        skeleton = "".join([_prototypes().get(character, character) for character in skeleton])
    return skeleton.casefold().replace("i", "l").replace("1", "l").replace("0", "o")


@cache
def _reserved() -> frozenset[str]:
    return frozenset(key(name) for name in RESERVED)


@cache
def _prototypes() -> dict[str, str]:
    """Character -> what stands for everything that looks like it.

    The package lists pairs without direction; a group of them is known by its longest member
    (``rn`` for ``m``), else by its first.
    """
    groups: dict[str, set[str]] = {}
    for left, others in confusables_data.items():
        for right in [other["c"] for other in others]:
            names = [_MARKS.sub("", side) for side in (left, right)]
            if "" in names:
                continue
            group = groups.get(names[0], {names[0]}) | groups.get(names[1], {names[1]})
            groups.update(dict.fromkeys(group, group))
    return {
        character: max(sorted(group), key=len)
        for character, group in groups.items()
        if len(character) == 1
    }
