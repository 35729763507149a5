"""Put the log into words: each verb has a short name, and a sentence made of the line's object and details.

A verb that is not listed here is shown as it is, so that no line is ever hidden.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.models import ActivityLog, Membership, Participant, Study
from annotation.models.study import ROLE_WORDS
from qualification.models import Attempt, Entry, Sample

Text = str | Promise
PERSON_STATUSES: dict[str, Text] = {each.value: each.label for each in Participant.Status}
PANELS: dict[str, Text] = {each.value: each.label for each in Participant.Panel}
STATUSES: dict[str, Text] = {each.value: each.label for each in Study.Status}
ATTEMPTS: dict[str, Text] = {each.value: each.label for each in Attempt.State}
DECISIONS: dict[str, Text] = {each.value: each.label for each in Sample.Decision}
ENTRIES: dict[str, Text] = {each.value: each.label for each in Entry.State}
ROLES: dict[str, Text] = {each.value: ROLE_WORDS[each] for each in Membership.Role}


@dataclass(frozen=True, slots=True)
class Verb:
    """Name a verb. `sentence` may hold `object` and every detail; `values` puts stored values into words."""

    name: Text
    sentence: Text
    values: Mapping[str, Text] = field(default_factory=dict)


FILE_VERBS = ("export", "fetch", "activity_file", "ledger_file", "demographics_file")  # files that leave the platform
VERBS: dict[str, Verb] = {
    # the study and its batches
    "study_made": Verb(_("study created"), _("The study was created and follows %(protocol)s.")),
    "settings": Verb(_("settings changed"), _("Settings changed: %(changes)s.")),
    "study_open": Verb(_("study opened"), _("The study was opened. Previous status: %(before)s."), STATUSES),
    "study_closed": Verb(_("study closed"), _("The study was closed. Previous status: %(before)s."), STATUSES),
    "protocol_moved": Verb(_("protocol version changed"), _("The study now follows %(after)s, not %(before)s.")),
    "batches_made": Verb(_("batches created"), _("Batches created: %(n)s (%(object)s).")),
    "batches_open": Verb(_("batches opened"), _("Batches opened: %(n)s (%(object)s).")),
    "batches_closed": Verb(_("batches closed"), _("Batches closed: %(n)s (%(object)s).")),
    "batch_discarded": Verb(_("draft discarded"), _("The draft batch %(object)s was discarded. Items: %(items)s.")),
    "next_round": Verb(_("batch returned"), _("Batch %(object)s is rated again, in round %(round)s. %(reason)s")),
    "import": Verb(_("import"), _("%(object)s was imported.")),
    "import_taken_back": Verb(
        _("import taken back"), _("The import of %(object)s was taken back. Ratings removed: %(ratings)s.")
    ),
    "dialogues_removed": Verb(_("dialogues removed"), _("Dialogues removed: %(n)s (%(object)s).")),
    "judge_started": Verb(_("model judge started"), _("The judge %(object)s was started with %(model)s.")),
    "metric_deleted": Verb(_("metric deleted"), _("The metric %(object)s was deleted.")),
    "datasheet": Verb(_("datasheet"), _("Question %(object)s of the datasheet was answered: %(text)s")),
    # files that leave the platform
    "export": Verb(_("export"), _("%(object)s was exported.")),
    "fetch": Verb(_("file with account names downloaded"), _("%(object)s, a file with account names, was downloaded.")),
    "activity_file": Verb(_("log exported"), _("The log was exported as %(object)s.")),
    "ledger_file": Verb(_("ledger exported"), _("The ledger was exported as %(object)s.")),
    "demographics_file": Verb(_("demographics exported"), _("Demographics were exported. Rows: %(rows)s.")),
    # people
    "member_added": Verb(_("member added"), _("%(object)s was added as %(role)s."), ROLES),
    "member_removed": Verb(_("member removed"), _("%(object)s (%(role)s) was removed."), ROLES),
    "role": Verb(_("role changed"), _("%(object)s is now %(after)s (was %(before)s)."), ROLES),
    "researcher_named": Verb(_("made a researcher"), _("%(object)s may create protocols and studies.")),
    "joined": Verb(_("joined"), _("%(object)s joined through the invitation link.")),
    "status": Verb(
        _("status changed"), _("Status of %(object)s: %(after)s (was %(before)s). %(reason)s"), PERSON_STATUSES
    ),
    "panel": Verb(_("panel changed"), _("%(object)s: %(after)s (was %(before)s)."), PANELS),
    "group_made": Verb(_("group created"), _("The group %(object)s was created.")),
    "group_removed": Verb(_("group removed"), _("The group %(object)s was removed.")),
    "group_changed": Verb(_("group of an annotator changed"), _("Group of %(object)s: %(group)s.")),
    "batch_given": Verb(_("group of a batch changed"), _("Group of batch %(object)s: %(group)s.")),
    "groups_dealt": Verb(_("groups changed"), _("The setting “Groups take batches” was changed.")),
    # recruitment
    "recruitment": Verb(_("recruitment changed"), _("Recruitment was changed: %(changes)s.")),
    "entered": Verb(_("joined through a platform"), _("%(object)s joined through %(provider)s.")),
    "left": Verb(_("returned to a platform"), _("%(object)s returned to the platform: %(state)s."), ENTRIES),
    "demographics": Verb(_("demographics imported"), _("Demographics were imported. People: %(people)s.")),
    "demographics_deleted": Verb(_("demographics deleted"), _("The demographics of %(object)s were deleted.")),
    # the qualification
    "qualification": Verb(_("qualification rule changed"), _("The qualification rule was changed: %(changes)s.")),
    "question_added": Verb(_("question added"), _("A question about the guidelines was added: %(object)s")),
    "question_removed": Verb(_("question removed"), _("A question about the guidelines was removed: %(object)s")),
    "training": Verb(_("training created"), _("Training was created. Dialogues: %(dialogues)s.")),
    "comprehension": Verb(
        _("questions answered"), _("%(object)s answered %(right)s of %(of)s questions about the guidelines correctly.")
    ),
    "qualification_result": Verb(
        _("qualification decided"),
        _("The rule decided the qualification of %(object)s: %(state)s (%(value)s, threshold %(threshold)s)."),
        ATTEMPTS,
    ),
    "override": Verb(
        _("qualification overridden"),
        _("Qualification of %(object)s: %(to)s. The rule said: %(rule)s. %(reason)s"),
        ATTEMPTS,
    ),
    # checks during the work
    "known_answers_import": Verb(_("known answers imported"), _("Known answers were imported from %(object)s.")),
    "known_answers_panel": Verb(_("known answers taken from the panel"), _("Known answers were taken from the panel.")),
    "checks_inserted": Verb(_("checks inserted"), _("Checks were inserted: %(checks)s. Batches: %(batches)s.")),
    "check_plan": Verb(_("check settings changed"), _("The check settings were changed: %(changes)s.")),
    "feedback_on": Verb(_("feedback switched on"), _("Annotators now see how often they agree with others.")),
    "feedback_off": Verb(_("feedback switched off"), _("Annotators no longer see how often they agree with others.")),
    "flag_raised": Verb(_("flag raised"), _("%(object)s was flagged: %(kind)s.")),
    "flag_decided": Verb(_("flag decided"), _("The flag on %(object)s (%(kind)s): %(decision)s. %(reason)s")),
    "item_flag_seen": Verb(
        _("flagged item settled"),
        _("The flags on dialogue %(object)s in batch %(batch)s were settled (%(n)s). %(note)s"),
    ),
    # batch acceptance
    "acceptance_plan": Verb(_("batch acceptance changed"), _("The batch acceptance plan was changed: %(changes)s.")),
    "sample_drawn": Verb(_("sample drawn"), _("A sample was drawn from batch %(object)s: %(drawn)s of %(of)s items.")),
    "sample_taken": Verb(_("sample taken"), _("%(by)s took the sample of batch %(object)s.")),
    "sample_given_back": Verb(_("sample given back"), _("The sample of batch %(object)s was given back.")),
    "sample_second": Verb(_("second review started"), _("A second controller is reviewing batch %(object)s.")),
    "acceptance_decided": Verb(_("batch decided"), _("Batch %(object)s, round %(round)s: %(decision)s."), DECISIONS),
    "sample_voided": Verb(
        _("sample void"),
        _("The sample of batch %(object)s, round %(round)s, is void because votes are missing. Excluded: %(names)s."),
    ),
    "acceptance_overridden": Verb(
        _("batch decision overridden"),
        _("Batch %(object)s, round %(round)s: %(to)s, not %(from)s. %(reason)s"),
        DECISIONS,
    ),
    # adjudication and the case library
    "adjudication_plan": Verb(_("adjudication changed"), _("The adjudication settings were changed.")),
    "compared": Verb(
        _("answers compared"),
        _("Batch %(object)s, round %(round)s: of %(labels)s labels, the two annotators differ in %(n)s."),
    ),
    "re_rating": Verb(
        _("re-rating finished"),
        _("Batch %(object)s: labels settled by re-rating: %(n)s, not settled: %(left)s."),
    ),
    "adjudicated": Verb(_("label settled"), _("A label of batch %(object)s was settled: %(criterion)s is %(option)s.")),
    "case_collected": Verb(_("case added"), _("%(object)s was added to the case library (%(criterion)s).")),
    "case_changed": Verb(_("case changed"), _("The case %(object)s was changed (%(criterion)s).")),
    "case_put_away": Verb(_("case archived"), _("The case %(object)s was archived (%(criterion)s).")),
    "case_back": Verb(_("case restored"), _("The case %(object)s was restored (%(criterion)s).")),
    "case_example": Verb(_("case made an example"), _("The case %(object)s is now an example of %(version)s.")),
    "case_training": Verb(_("case made a training item"), _("The case %(object)s is now a training item.")),
    # pay
    "pay_plan": Verb(_("pay changed"), _("The pay settings were changed: %(changes)s.")),
    "bonus": Verb(_("bonus given"), _("%(object)s received a bonus of %(amount)s %(currency)s. %(reason)s")),
    "correction": Verb(
        _("pay corrected"), _("The pay of %(object)s was corrected by %(amount)s %(currency)s. %(reason)s")
    ),
    "paid_out": Verb(_("paid out"), _("Ledger lines marked as paid: %(n)s.")),
    "bonuses_paid": Verb(_("bonuses paid"), _("Bonuses were paid: %(amount)s %(currency)s. People: %(people)s.")),
}


def verb_name(verb: str) -> str:
    return str(VERBS[verb].name) if verb in VERBS else verb


def sentence_of(line: ActivityLog) -> str:
    """Return what the line says, in the language of the reader."""
    verb = VERBS.get(line.verb)
    if verb is None:
        return f"{line.verb} {line.object}".strip()
    said = {name: _word(verb, value) for name, value in line.details.items()}
    said |= {"object": line.object or "–", "changes": _changes(line.details)}
    return (str(verb.sentence) % defaultdict(lambda: "–", said)).strip()


def _word(verb: Verb, value: Any) -> str:
    if isinstance(value, str):
        return str(verb.values.get(value, value))
    return f"{value:.3f}" if isinstance(value, float) else "–" if value is None else str(value)


def _changes(details: Mapping[str, Any]) -> str:
    """Return what was changed, as 'name: old → new' where both are known, otherwise the names."""
    changed = details.get("changed")
    if changed is None:
        return ", ".join(sorted(details)) or "–"
    if not isinstance(changed, dict):
        return ", ".join(map(str, changed)) if isinstance(changed, list) else str(changed)
    pairs = [f"{name}: {_plain(pair)}" for name, pair in changed.items()]
    return "; ".join([*pairs, *details.get("texts", [])]) or "–"


def _plain(pair: Any) -> str:
    if isinstance(pair, list) and len(pair) == 2:
        return " → ".join("–" if value in (None, "") else str(value) for value in pair)
    return str(pair)
