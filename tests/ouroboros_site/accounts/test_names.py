"""Which names are allowed, and which are the same for a person who reads them."""

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from ouroboros_site.accounts import names
from ouroboros_site.accounts.models import User

ALLOWED = [
    "Ada",
    "abc",
    "a" * 20,
    "é" * 20,
    "a-b",
    "_x_",
    "007",
    "Zoë",
    "Ægir",
    "Ødegård",
    "Nguyễn",
    "Анна",
    "Вера",
    "Ελένη",
    "हिन्दी",
    "नमस्ते",
    "বাংলা",
    "தமிழ்",
    "ไทยแลนด์",
    "ខ្មែរ",
    "王小明",
    "小Bob",
    "ひらがな日本",
    "コーヒー",
    "한국어",
    "محمد",
    "مُحَمَّد",
    "אבגד",
    "გიორგი",
    "ሰላም",
    "١٢٣",
    "Маша_Cool",
]

REFUSED = {
    "length": ["", "a", "ab", "a" * 21, "é" * 21, "王明", "ﷺ" * 2, "x" * 5000],
    "characters": [
        "Ada Lovelace",
        "a.b",
        "a@b.example",
        "O'Neil",
        "O’Neil",
        "a/b/c",
        "../etc",
        "100%",
        "a\nb",
        "a\tb",
        "a\0b",
        "<b>Ada</b>",
        "<script>",
        "&lt;b&gt;",
        "{{ x }}",
        '"><svg',
        "Ada\u200b",  # zero width space
        "A\u200cda",  # zero width non-joiner
        "A\u200dda",  # zero width joiner
        "A\u2060da",  # word joiner
        "\ufeffAda",  # byte order mark
        "Ada\u200e",  # left-to-right mark
        "\u200fAda",  # right-to-left mark
        "\u202eadA",  # right-to-left override
        "\u2066Ada\u2069",  # isolates
        "A\u00adda",  # soft hyphen
        "Ad\u034fa",  # combining grapheme joiner
        "Ada\ufe0f",  # variation selector
        "Ada\U000e0100",  # one of the others
        "\u3164\u3164\u3164",  # hangul filler
        "Ad\u1160a",
        "Ad\uffa0a",
        "\u17b4\u17b5\u17b4",
        "Ada\u20dd",  # enclosing circle
        "\U000e0041bc",  # tag
        "😀😀😀",
        "Ada😀",
        "a♥b",
        "½½½",
        "\ue000\ue000\ue000",  # private use
        "\ud800bc",  # half a surrogate pair
    ],
    "marks": ["a\u0301\u0302\u0303\u0304", "Z\u0335\u0321\u0322algo", "\u0301abc", "1\u0301ab"],
    "empty": ["---", "___", "-_-"],
    "scripts": ["\u0410da", "\u0391da", "Ad\u0430", "\u041d\u0435llo", "Hаташа", "אבabc"],
    "reserved": ["admin", "ADMIN", "Adm1n", "adrnin", "GUEST", "0uroboros"],
}


@pytest.mark.parametrize("name", ALLOWED)
def test_allowed(name):
    assert names.clean(names.clean(name)) == names.clean(name)


@pytest.mark.parametrize(
    ("code", "name"), [(code, name) for code, some in REFUSED.items() for name in some], ids=ascii
)
def test_refused(code, name):
    with pytest.raises(ValidationError) as refusal:
        names.clean(name)
    assert refusal.value.code == code
    assert refusal.value.message


@pytest.mark.parametrize(
    ("given_", "kept"),
    [("Ａｄａ", "Ada"), ("ﬁne", "fine"), ("Zoe\u0308", "Zoë"), ("x²y", "x2y"), ("ⅷab", "viiiab")],
)
def test_compatibility_forms_are_kept_as_plain_ones(given_, kept):
    assert names.clean(given_) == kept


SAME = [
    ("Ada", "aDA"),
    ("Straße", "STRASSE"),
    ("mod3rn", "rnod3RN"),
    ("Will", "WiII"),
    ("cloud", "c1oud"),
    ("O0o", "000"),
    ("scope", "\u0455\u0441\u043e\u0440\u0435"),  # Cyrillic
    ("ava", "\u03b1\u03bd\u03b1"),  # Greek
    ("peace", "\u0440\u0435\u0430\u0441\u0435"),  # Cyrillic
    ("alpha", "\u0251lpha"),
    ("ada", "\u13aa\u13a0\u13aa"),  # Cherokee
    ("Наташа", "наташа"),
    ("ΣΊΣΥΦΟΣ", "σίσυφος"),
    ("İda", "i\u0307da"),
]
DIFFERENT = [("Anna", "Hanna"), ("Ada", "Adam"), ("Zoe", "Zoë"), ("a-b", "a_b"), ("Nick", "Vick")]
CAPITALS = [
    ("TOM", "\u0422\u041e\u041c"),  # Cyrillic
    ("ANNA", "\u0391\u039d\u039d\u0391"),  # Greek
    ("Nava", "\u039d\u03b1\u03bd\u03b1"),  # Greek
    ("KATE", "\u041a\u0410\u0422\u0415"),  # Cyrillic
    ("Bob", "\u0412\u043e\u042c"),  # Cyrillic
]


@pytest.mark.parametrize(("one", "other"), SAME, ids=ascii)
def test_the_same_key(one, other):
    assert names.key(one) == names.key(other)
    assert len(names.key(one)) <= 255


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_another_key(one, other):
    assert names.key(one) != names.key(other)
    assert names.look_key(one) != names.look_key(other)


@pytest.mark.parametrize(("one", "other"), CAPITALS, ids=ascii)
def test_capitals_that_look_alike_need_both_keys(one, other):
    assert {names.key(one), names.look_key(one)} & {names.key(other), names.look_key(other)}


@pytest.mark.django_db
@pytest.mark.parametrize(("one", "other"), [*SAME, *CAPITALS], ids=ascii)
@pytest.mark.parametrize("turned", [False, True])
def test_one_of_two_that_look_alike_is_taken(one, other, turned):
    first, second = (other, one) if turned else (one, other)
    user = User.objects.create_user(first)
    assert User.objects.filter(names.alike(second)).get() == user


@given(st.text(st.characters(categories=["L", "M", "Nd"]), min_size=1, max_size=22))
def test_any_text_is_kept_or_refused(text):
    try:
        kept = names.clean(text)
    except ValidationError:
        return
    assert 3 <= len(kept) <= 20 and names.clean(kept) == kept
    # What is stored must fit, and be found again by the name as it is shown.
    assert 0 < len(names.key(kept)) <= 255
    assert 0 < len(names.look_key(kept)) <= 255
    for same in (kept.lower(), kept.casefold()):
        assert names.key(same) == names.key(kept)
