"""What makes a good password, and the most common ones, which are refused."""

import re
from typing import Final

from crossway.domain.errors import InvalidInput
from crossway.domain.staff import name_key

MIN_PASSWORD_CHARACTERS: Final = 12
MAX_PASSWORD_CHARACTERS: Final = 200
_MIN_DISTINCT_CHARACTERS: Final = 5
_MIN_LETTERS: Final = 4
_REPLACED_LETTERS: Final = str.maketrans("@4301!$57", "aaeoiisst")
# Rows and columns of keyboards, and the alphabet: a part of one is no password.
_SEQUENCES: Final = (
    "abcdefghijklmnopqrstuvwxyz", "qwertyuiopasdfghjklzxcvbnm", "qwertzuiopasdfghjklyxcvbnm",
    "azertyuiopqsdfghjklmwxcvbn", "qazwsxedcrfvtgbyhnujmikolp", "zaqwsxcderfvbgtyhnmju",
    "poiuytrewqlkjhgfdsamnbvcxz",
)  # fmt: skip
# Without digits and signs: people add those to reach a length.
_COMMON_WORDS: Final = """
    access account admin administrator adminadmin america andrew angel anthony apple april ashley
    august austin banana baseball basketball batman biteme bitcoin blockchain buster charlie
    changeit changeme cheese chelsea chocolate coffee company computer cookie corvette cowboys
    crossway crypto dallas dashboard december default diamond dragon eagles ethereum family
    february ferrari flower football forever freedom friday friends fuckyou ginger google guest
    hannah harley hello hellokitty helloworld hockey hunter ihateyou iloveu iloveyou internet
    jackson january jennifer jessica jordan july june justin killer letmein liverpool login london
    lovely loveme maggie manager march marina martin master matrix matthew merlin michael michelle
    microsoft midnight monday monkey mustang nicole november october office operator orange parola
    passphrase passw passwd password passwort pepper please pokemon private princess purple qwerty
    rachel rangers root samantha samsung saturday secret secure security september server service
    shadow silver snoopy soccer solana spring starwars summer sunday sunshine superman superuser
    support swordfish system taylor temp temporary test tester testing thomas thunder thursday
    tigger trustno trustnoone tuesday usuario verysecret wallet wednesday welcome whatever william
    winter wizard yankees yellow
"""
_COMMON: Final = frozenset(_COMMON_WORDS.split())


def parse_password(value: object, name: str) -> str:
    """Check the strength of a password; raises `InvalidInput`, which does not repeat it."""
    if not isinstance(value, str) or len(value) < MIN_PASSWORD_CHARACTERS:
        raise InvalidInput(
            f"password must have at least {MIN_PASSWORD_CHARACTERS} characters: four or five "
            "unrelated words are strong and easy to remember"
        )
    if len(value) > MAX_PASSWORD_CHARACTERS:
        raise InvalidInput(f"password must have at most {MAX_PASSWORD_CHARACTERS} characters")
    if len(set(value)) < _MIN_DISTINCT_CHARACTERS or value.isdigit() or _is_common(value, name):
        raise InvalidInput(
            "password must not be the name, nor one of the most common, nor digits alone: take "
            "four or five unrelated words"
        )
    return value


def _is_common(password: str, name: str) -> bool:
    """Whether a password is the name or a common one, apart from repetitions, signs and digits."""
    core = re.sub(r"^[\W\d_]+|[\W\d_]+$", "", name_key(password))
    for word in (core, core.translate(_REPLACED_LETTERS)):
        letters = _letters(word)
        if letters in (_letters(name_key(name)), ""):
            return True
        if len(letters) >= _MIN_LETTERS and (
            letters in _COMMON or any(letters in sequence for sequence in _SEQUENCES)
        ):
            return True
    return False


def _letters(word: str) -> str:
    """The letters of a word; of a repeated part, one."""
    letters = "".join(character for character in word if character.isalpha())
    repeated = re.fullmatch(r"(.+?)\1+", letters)
    return repeated[1] if repeated else letters
