import json
from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from protocols.bundles import Bundle, complete_bundle
from protocols.diffing import Change, Piece, compare_bundles, is_semantic
from protocols.management.commands._reading import read_any, refusal
from protocols.schema import InvalidBundle

SAME, DIFFERENT, TROUBLE = 0, 1, 2  # the exit codes of diff
MARKS = {"same": "{}", "removed": "[-{}-]", "added": "{{+{}+}}"}
CONTEXT = 60  # characters shown beside a change: guidelines are pages long
SIGNS = {"added": "+", "removed": "-", "changed": "~", "moved": ">"}


class Command(BaseCommand):
    help = (
        "Compare two bundles, stored or in files. Exits with 0 if they are equal, 1 if they differ, "
        "and 2 if one cannot be read."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        for name in ("a", "b"):
            parser.add_argument(name, help="A stored version such as politeness@1.0, or a file.")

    def handle(self, *args, a: str, b: str, **options) -> None:
        changes = compare_bundles(*map(_complete, (a, b)))
        for change in changes:
            weight = "semantic" if change.is_semantic else "wording"
            self.stdout.write(f"{SIGNS[change.kind]} {change.path} ({change.kind}, {weight}){_values(change)}")
        if not changes:
            self.stdout.write("The same but for the names of protocol and version.")
            return
        count = "1 difference" if len(changes) == 1 else f"{len(changes)} differences"
        meaning = "Answers may mean something else." if is_semantic(changes) else "All of them change wording only."
        self.stdout.write(f"{count}. {meaning}")
        raise SystemExit(DIFFERENT)


def _complete(name: str) -> Bundle:
    try:
        return complete_bundle(read_any(name))
    except InvalidBundle as error:  # a stored draft can be invalid
        raise CommandError(str(refusal(name, error)), returncode=TROUBLE) from None
    except CommandError as error:
        raise CommandError(str(error), returncode=TROUBLE) from None


def _values(change: Change) -> str:
    if change.kind in ("added", "removed"):
        return ""
    if pieces := change.pieces:
        return ": " + "".join(map(_marked, pieces))
    before, after = (json.dumps(value, ensure_ascii=False) for value in (change.before, change.after))
    return f": {before} -> {after}"


def _marked(piece: Piece) -> str:
    text = piece.text
    if piece.kind == "same" and len(text) > 2 * CONTEXT:
        text = f"{text[:CONTEXT]} ... {text[-CONTEXT:]}"
    return MARKS[piece.kind].format(text).replace("\n", "\n    ")
