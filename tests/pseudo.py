"""A language made for tests: right to left, and every text of the interface in letters that no other text has.

Its catalogues are made from the messages of the Italian ones when a test run begins, so it is always complete. What is
still in Latin letters on a page in this language is either somebody's data, or a text that cannot be translated.
"""

import re
from pathlib import Path

import polib
from django.conf import settings

LANGUAGE = "he"  # Parley has no Hebrew: whoever reads it will see letters without words
ALPHABET = dict(zip("abcdefghijklmnopqrstuvwxyz", "אבגדהוזחטיכלמנסעפצקרשתךםןף", strict=True))
KEPT = re.compile(r"%\([a-z_0-9]+\)[sd]|%[sd%]|</?[a-z][^>]*>|&[a-z]+;|\{[a-z_0-9.]*\}", re.IGNORECASE)


def pseudo(text: str) -> str:
    """Every Latin letter replaced; placeholders, tags and entities kept."""
    parts, at = [], 0
    for kept in KEPT.finditer(text):
        parts += [_letters(text[at : kept.start()]), kept.group()]
        at = kept.end()
    return "".join([*parts, _letters(text[at:])])


def _letters(text: str) -> str:
    return "".join(ALPHABET.get(letter.lower(), letter) for letter in text)


def write_catalogues(folder: Path) -> Path:
    """A folder for LOCALE_PATHS."""
    room = folder / LANGUAGE / "LC_MESSAGES"
    room.mkdir(parents=True)
    for domain in ("django", "djangojs"):
        source = polib.pofile(str(Path(settings.LOCALE_PATHS[0], "it", "LC_MESSAGES", f"{domain}.po")))
        made = polib.POFile()
        made.metadata = {
            "Content-Type": "text/plain; charset=UTF-8",
            "Plural-Forms": "nplurals=2; plural=(n != 1);",
            "Language": LANGUAGE,
        }
        for entry in source:
            if not entry.obsolete:
                made.append(_translated(entry))
        made.save_as_mofile(str(room / f"{domain}.mo"))
    return folder


def _translated(entry: polib.POEntry) -> polib.POEntry:
    both = {0: pseudo(entry.msgid), 1: pseudo(entry.msgid_plural)} if entry.msgid_plural else {}
    return polib.POEntry(
        msgid=entry.msgid,
        msgctxt=entry.msgctxt,
        msgid_plural=entry.msgid_plural,
        msgstr="" if both else pseudo(entry.msgid),
        msgstr_plural=both,
    )
