"""Names and explanations of tables and columns, which the admin shows: marked here once, so that they are translated.

The tables themselves keep plain English names, and no migration follows from a translation.
"""

from typing import Any

from django.apps import apps
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, gettext_noop

APPS = ("protocols", "annotation", "qualification")

_ = gettext_noop
NAMES = (
    _("ID"), _("acceptance plan"), _("acceptance plans"), _("active ms"), _("actor"), _("adjudication plan"),
    _("adjudication plans"), _("agreement cell"), _("agreement cells"), _("agreement snapshot"),
    _("agreement snapshots"), _("amount"), _("annotator cell"), _("annotator cells"), _("annotators"),
    _("answered at"), _("answers"), _("asker"), _("asks"), _("asks demographics"), _("assignment"), _("assignments"),
    _("at"), _("attempt"), _("attempts"), _("attention percent"), _("author"), _("bad"), _("batch"), _("batch items"),
    _("batch key"), _("batches"), _("beaten at"), _("briefed version"), _("candidate"), _("candidates"),
    _("carried out at"), _("case"), _("cases"), _("changes"), _("check plan"), _("check plans"), _("choices"),
    _("citation"), _("claimed at"), _("class sizes"), _("client key"), _("code done"), _("code failed attention"),
    _("code screened out"), _("code timed out"), _("compared at"), _("comparison"), _("comparisons"),
    _("comprehension question"), _("comprehension questions"), _("comprehension try"), _("computed at"),
    _("consent text"), _("consent texts"), _("consent version"), _("consented at"), _("consumer risk"),
    _("content language"), _("context title"), _("contribution"), _("controller"), _("controller label"),
    _("counted at"), _("created at"), _("created by"), _("criteria"), _("criterion"), _("currency"), _("decided at"),
    _("decided by"), _("decision"), _("decision reason"), _("demographics"), _("description"), _("dialogue"),
    _("dialogues"), _("digest"), _("dimensions"), _("disagreement"), _("disagreements"), _("drawn at"), _("education"),
    _("elapsed ms"), _("ended at"), _("endpoint"), _("entered at"), _("entry"), _("error"), _("errors"),
    _("estimates"), _("evidence"), _("expected minutes"), _("expertise"), _("explanation"), _("explanations"),
    _("failed text"), _("feedback"), _("feedback box"), _("fewest of class"), _("fields"), _("file name"),
    _("file sha256"), _("finished at"), _("first"), _("first languages"), _("flag"), _("flagged"), _("flags"),
    _("floor per hour"), _("format"), _("found at"), _("free text"), _("gender"), _("given back at"),
    _("gives feedback"), _("gold percent"), _("gold required"), _("good"), _("granularity"), _("group"), _("guide"),
    _("guidelines"), _("guidelines short"), _("has comprehension check"), _("has paused"), _("has qualification"),
    _("heartbeat"), _("heartbeats"), _("high"), _("higher is better"), _("histogram"), _("hours"), _("how"),
    _("import job"), _("import jobs"), _("imported record"), _("interaction"), _("is active"), _("is blind"),
    _("is check"), _("is clearing on join"), _("is dealt to groups"), _("is dry run"), _("is imported"),
    _("is joinable"), _("is on"), _("is open"), _("is passed"), _("is reference"), _("is returned automatically"),
    _("is second"), _("is textless"), _("is top up"), _("is trained"), _("is training"), _("item"), _("item title"),
    _("items"), _("join token"), _("joined on"), _("judge run"), _("judge runs"), _("kappa floor"), _("kept at"),
    _("key"), _("kind"), _("known answer"), _("known answers"), _("label"), _("language"), _("last"),
    _("lease expires at"), _("least approval"), _("least of class"), _("least overall"), _("least submissions"),
    _("left out"), _("locations"), _("looked at"), _("looks at drift"), _("looks at lines"), _("looks at speed"),
    _("low"), _("majority rule"), _("max minutes"), _("membership"), _("memberships"), _("metadata"), _("method"),
    _("metric"), _("metrics"), _("mode"), _("model"), _("most attempts"), _("most attention missed"),
    _("most check tries"), _("most errors"), _("most sampled"), _("most targets"), _("n answered"), _("n attempts"),
    _("n done"), _("n errors"), _("n items"), _("n labels"), _("n malformed"), _("n questions"), _("n ratings"),
    _("n refused"), _("n rejected"), _("n requests"), _("n right"), _("n sample"), _("n shots"), _("n total"),
    _("n wanted"), _("name"), _("note"), _("notices"), _("number"), _("option"), _("options"), _("order"), _("origin"),
    _("other"), _("overridden at"), _("overridden by"), _("overridden to"), _("override reason"), _("paid out at"),
    _("pairs"), _("panel"), _("panel members"), _("parent"), _("participant"), _("participants"), _("parts"),
    _("passed text"), _("pauses automatically"), _("pay amount"), _("pay currency"), _("pay entry"), _("pay plan"),
    _("pay plans"), _("payable"), _("person"), _("phase"), _("plan"), _("platform"), _("platform study"),
    _("platform url"), _("position"), _("price answer"), _("price prompt"), _("private batch"), _("producer risk"),
    _("protocol"), _("protocol version"), _("protocol versions"), _("protocols"), _("provider"), _("pseudonym"),
    _("published at"), _("purpose"), _("qualification"), _("qualification amount"), _("qualification minutes"),
    _("qualifications"), _("queue"), _("raised at"), _("rating"), _("rating revision"), _("rating revisions"),
    _("ratings"), _("ratings version"), _("re rating"), _("re ratings"), _("reading seconds"), _("reason"),
    _("reasons"), _("received at"), _("recorded at"), _("recruitment"), _("recruitments"), _("requests per minute"),
    _("reserved for"), _("response"), _("results"), _("review"), _("reviews"), _("revision"), _("right"), _("role"),
    _("round"), _("rule"), _("run"), _("sample"), _("sampled item"), _("sampled items"), _("samples"),
    _("scale above"), _("scope"), _("seat"), _("seats"), _("second"), _("second label"), _("seed"), _("session"),
    _("settled at"), _("settled by"), _("sha256"), _("shown"), _("slug"), _("snapshot"), _("source"), _("sources"),
    _("speaker"), _("started at"), _("state"), _("status"), _("studies"), _("study"), _("submitted at"), _("summary"),
    _("sums"), _("sure pairs"), _("taken at"), _("temperature"), _("text"), _("text format"), _("threshold"),
    _("threshold from"), _("token"), _("tokens answer"), _("tokens prompt"), _("top up to"), _("translations"),
    _("turns"), _("unit"), _("updated at"), _("user"), _("value"), _("version"), _("voided at"), _("welcome"),
    _("why"), _("word scale"), _("words max"), _("words min"),
)  # fmt: skip
EXPLANATIONS = (
    _("'self' or the key of a platform."),
    _("A returned batch is rated again in the next round; earlier ones stay."),
    _("Accuracy that a sequential plan accepts."),
    _("Accuracy that a sequential plan returns."),
    _("Accuracy that is required of gold answers."),
    _("Among whose examples it is. A save in the editor makes a draft's examples anew, so none is named."),
    _("Annotators see how they agree. It affects independence, so it is reported."),
    _("Annotators whose kappa with the others lies surely below it are marked."),
    _("Answer tables of annotator pairs; of batches only."),
    _("Answers of both to one question about one item."),
    _("Anyone with the invitation link may join."),
    _("As it stood when it decided."),
    _("As it stood when the sample was drawn."),
    _("Batches a candidate may be given in all."),
    _("Below, a class is not assessable."),
    _("By a platform's file, or ticked off."),
    _("By criterion."),
    _("Bytes read."),
    _("Candidates that are rated together, in order."),
    _("Coefficients read out of the histogram and pairs."),
    _("Column map, create missing."),
    _("Controllers do not see the label they check."),
    _("Counted answers."),
    _("Empty: a person is asked."),
    _("Empty: earned by work."),
    _("Everything random is drawn from this number."),
    _("For a batch."),
    _("For items that nobody answered with an unsure option; empty if there is no such option."),
    _("From 0, in the order of review."),
    _("From claiming the seat to the end of the lease."),
    _("Gold dialogues per hundred of a batch."),
    _("How dialogues and responses are shown."),
    _("How often a worker began it."),
    _("How the study was conducted before it was imported, from its archive. Empty for a study made here."),
    _("ISO code, for example GBP."),
    _("Ids of predefined explanations."),
    _("Ids of the correct options."),
    _("Ids of the criteria, in the protocol's order."),
    _("Ids of the options of a multiple choice."),
    _("If not the protocol's."),
    _("If not, a person confirms each return."),
    _("If not, a team lead is asked."),
    _("Integers that add: see measures/contributions.py."),
    _("Items that both answered."),
    _("Items x seats x criteria."),
    _("Its answer is known. It is shown like any other item and is never a result."),
    _("Key of a crowd platform; empty: none."),
    _("Known by id alone, from imported ratings."),
    _("Labelled items of the batch."),
    _("Marked turns, from 1."),
    _("New people may join through the platform."),
    _("Newcomers qualify by the study's rule before they are cleared."),
    _("Of a fixed sample."),
    _("Of a training item: the questions it asks, by their keys. Empty: all of its unit."),
    _("Of an exclusion: the finished work that stays to be paid."),
    _("Of the batch."),
    _("Of the portion, from 1."),
    _("Of the protocol's texts as annotators read them; empty: its main one."),
    _("Of the study only: what the mean over batches is made of."),
    _("Of the texts in the prompts."),
    _("Of the work, as browsers reported it."),
    _("People who join may rate without being cleared."),
    _("Per cent."),
    _("Per million tokens."),
    _("Position of the correct option, from 0."),
    _("Private to one person: a review sample or a re-rating."),
    _("Questions: targets times criteria."),
    _("Rare classes get extra items up to this number."),
    _("Reported by the browser; no decision rests on it."),
    _("The batch the import asked for."),
    _("The criterion it predicts. If empty, a score that is compared with every criterion."),
    _("The dialogue's place in the batch."),
    _("The form that made the account, so that sending it twice makes one."),
    _("The group of the first annotator takes the batch; nobody from another group may join."),
    _("The language of the person who reads its errors."),
    _("The number of targets, drawn with the seed."),
    _("The speaker who asks. If empty, the speakers' names decide."),
    _("The study's rule paused them with it."),
    _("The verbal scale shown beside coefficients of agreement."),
    _("The version whose texts they have read."),
    _("Training batches come before the qualification."),
    _("Votes per item: annotators of each batch."),
    _("When its worker was last known to be alive."),
    _("When nothing was left to re-rate."),
    _("Where a platform without codes wants the end reported."),
    _("Where a sequential plan stops."),
    _("Where annotators come from."),
    _("Where people are sent at the end. If empty, the platform's own page."),
    _("Whose turn it is; empty if unknown."),
    _("Why it failed, in a sentence."),
    _("Why the value is undefined."),
    _("[{line, field, reason}], the first 200."),
    _('{"hours since 1970": counted answers given in that hour}'),
    _('{"votes per option, by position": items}, for example {"5,2,0": 11}'),
    _("{explanation id: votes}"),
    _("{option id: items with this label}"),
    _("{participant id: their contribution}; of batches only."),
    _("{why: items without a label}"),
)
PLURALS = {"comprehension trys": _("comprehension tries"), "entrys": _("entries"), "pay entrys": _("pay entries")}


def translate_names() -> None:
    """Give every table and column of the project its name in the language of the page."""
    models = [model for name in APPS for model in apps.get_app_config(name).get_models()]
    for model in models:
        model._meta.verbose_name = _translated(model._meta.verbose_name)
        plural = str(model._meta.verbose_name_plural)  # Django's own is lazy, and English
        model._meta.verbose_name_plural = gettext_lazy(PLURALS.get(plural, plural))
        for field in model._meta.fields:
            field.verbose_name = _translated(field.verbose_name)
            field.help_text = _translated(field.help_text)


def _translated(text: Any) -> Any:
    """What is translated already, and what is empty, stays as it is."""
    if isinstance(text, Promise) or not text:
        return text or ""
    return gettext_lazy(text)
