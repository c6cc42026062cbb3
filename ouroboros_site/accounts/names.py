"""Names of accounts: which are allowed, and which could be taken for one another."""

import re
import unicodedata
from functools import cache
from itertools import groupby

from confusable_homoglyphs.categories import alias
from confusable_homoglyphs.confusables import confusables_data
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

SHORTEST, LONGEST = 3, 20
RESERVED = ("admin", "administrator", "moderator", "staff", "guest", "ouroboros", "reviewer")
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Letters and marks, as Unicode counts them, that show nothing."""
TOGETHER = (
    {"LATIN", "HAN", "HIRAGANA", "KATAKANA"},
    {"LATIN", "HAN", "BOPOMOFO"},
    {"LATIN", "HAN", "HANGUL"},
)
"""Scripts that are written within one word."""
_MARKS = re.compile(r"[‎‏]")


def clean(name: str, *, shortest: int = SHORTEST) -> str:
    """A name as it is stored: composed, with compatibility forms replaced (NFKC).

    :param shortest: how many characters it has at least
    :raises ValidationError: if it is not 3 to 20 letters, digits, ``-`` and ``_``, if accents are
        piled up, if a word mixes scripts, or if the name is kept for the site itself
    """
    name = unicodedata.normalize("NFKC", name)
    if not shortest <= len(name) <= LONGEST:
        problem = _("A name has %(shortest)d to %(longest)d characters.")
        length = {"shortest": shortest, "longest": LONGEST}
        raise ValidationError(problem, code="length", params=length)
    if not all(character in "-_" or _kind(character) in "LNM" for character in name):
        problem = _("A name is made of letters, digits, - and _, without spaces.")
        raise ValidationError(problem, code="characters")
    # Many scripts write vowels as marks on a letter; a heap of them is no writing.
    kinds = "".join(_kind(character) for character in name)
    if kinds[0] == "M" or re.search("MMM|[^LM]M", kinds):
        raise ValidationError(_("A name is made of letters, digits, - and _."), code="marks")
    if "L" not in kinds and "N" not in kinds:
        raise ValidationError(_("A name needs a letter or a digit."), code="empty")
    if not all(_is_of_one_script(word) for word in _words(name)):
        raise ValidationError(
            _("The letters of a word in a name are all of one script."), code="scripts"
        )
    if _keys(name) & _reserved():
        raise ValidationError(_("This name is kept for the site itself."), code="reserved")
    return name


def _kind(character: str) -> str:
    """``L`` for a letter, ``N`` for a decimal digit, ``M`` for a mark, else ``-``."""
    category = unicodedata.category(character)
    if category == "Me" or _INVISIBLE.match(character):
        return "-"
    if category[0] in "LM":
        return category[0]
    return "N" if category == "Nd" else "-"


def _words(name: str) -> list[str]:
    """What stands between digits, ``-`` and ``_``."""
    runs = groupby(name, lambda character: _kind(character) in "LM")
    return ["".join(run) for is_word, run in runs if is_word]


def _is_of_one_script(word: str) -> bool:
    scripts = {alias(character) for character in word} - {"COMMON", "INHERITED"}
    return len(scripts) < 2 or any(scripts <= together for together in TOGETHER)


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
        skeleton = _skeleton(unicodedata.normalize("NFKC", skeleton).casefold())
    return skeleton.casefold().replace("i", "l").replace("1", "l").replace("0", "o")


def look_key(name: str) -> str:
    """The key of what the capitals of a name look like.

    Cyrillic ``ТОМ`` looks like Latin ``TOM``, but ``том`` not like ``tom``, and ``key`` compares
    small letters.
    """
    return key(_skeleton(unicodedata.normalize("NFKC", name)))


def _keys(name: str) -> set[str]:
    return {key(name), look_key(name)}


def alike(name: str) -> Q:
    """The users who have this name, or one that could be taken for it."""
    return Q(name_key__in=_keys(name)) | Q(look_key__in=_keys(name))


def _skeleton(name: str) -> str:
    """The name with the same letter for all that look alike; capitals stay capitals."""
    decomposed = unicodedata.normalize("NFD", name)
    return "".join([_prototypes().get(character, character) for character in decomposed])


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
