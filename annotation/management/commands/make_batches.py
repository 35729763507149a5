from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.dealing import CONVERSATIONS, COUNTED, DIALOGUES
from annotation.importing.console import named_study, picked
from annotation.models import Batch
from annotation.selectors.imported_batches import nothing_to_deal
from annotation.services.batching import WAYS, make_batches
from annotation.services.pairing import identical_words
from annotation.services.refusals import Refused
from annotation.services.repeating import not_beside_a_pilot, repeat_pilot

OF_DEALING = {
    "size": "--size", "counts": "--counts", "field": "--field", "k": "--k", "n_pairs": "--pairs",
    "repeat_percent": "--repeat-percent", "n_dialogues": "--n-dialogues", "is_fresh_only": "--fresh-only",
}  # fmt: skip
# What the size counts where whole dialogues are compared.
OF_WHOLES = {"pairs": DIALOGUES, "scenarios": CONVERSATIONS}


class Command(BaseCommand):
    help = "Deal the dialogues of a study that are in no batch yet into batches. Draft: open them afterwards."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.usage = "%(prog)s study (--by WAY | --same-as PILOT) [options]; --help lists them"
        parser.add_argument("study", help="The study's short name.")
        way = parser.add_mutually_exclusive_group(required=True)
        way.add_argument("--by", choices=WAYS, help="given: the batch named by the import.")
        way.add_argument("--same-as", metavar="PILOT", help="Show exactly what this pilot shows.")
        parser.add_argument(
            "--size",
            type=int,
            help="Dialogues per batch; each turn of a conversation is one, and so is each pair of whole dialogues.",
        )
        parser.add_argument(
            "--counts",
            choices=(*COUNTED, *OF_WHOLES),
            help="What the size counts: dialogues or conversations; where whole dialogues are compared, pairs or "
            "scenarios.",
        )
        parser.add_argument("--field", help="Metadata field to stratify by; n_turns always works.")
        parser.add_argument("--k", type=int, help="Sources per dialogue, balanced; all when left out.")
        parser.add_argument(
            "--pairs", type=int, dest="n_pairs", help="Pairs per dialogue, or scenario, to compare; all when left out."
        )
        parser.add_argument(
            "--repeat-percent", type=int, help="Pairs to show again with their sides swapped, as a measure of bias."
        )
        parser.add_argument("--kind", default=Batch.Kind.MAIN, choices=[kind.value for kind in Batch.DEALT])
        parser.add_argument("--seats", type=int, help="Annotators per batch; the study's number when left out.")
        parser.add_argument("--n-dialogues", type=int, help="Dialogues in batches of this kind altogether.")
        parser.add_argument(
            "--fresh-only",
            action="store_true",
            dest="is_fresh_only",
            help="Only dialogues that no batch of another kind holds.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study, now = named_study(options["study"]), timezone.now()
        asked = picked(options, "by", "kind", "seats", *OF_DEALING)
        counts = asked["counts"] or DIALOGUES
        asked["counts"] = OF_WHOLES.get(counts, counts)
        try:
            if options["same_as"]:
                if useless := [flag for name, flag in OF_DEALING.items() if options[name]]:
                    raise CommandError(not_beside_a_pilot(useless))
                batches = [repeat_pilot(study, pilot=options["same_as"], **picked(options, "kind", "seats"), now=now)]
            else:
                batches = make_batches(study, **asked, now=now)
        except Refused as error:
            raise CommandError(error.message) from None
        for batch in batches:
            self.stdout.write(f"{batch.key}: {batch.n_items} items")
        made = "1 batch made." if len(batches) == 1 else f"{len(batches)} batches made."
        if words := identical_words(batches):
            self.stdout.write(words)
        nothing = partial(nothing_to_deal, study, options["kind"], is_fresh_only=options["is_fresh_only"])
        self.stdout.write(made if batches else nothing())
