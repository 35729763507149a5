"""Read what the pages of a study show, each in a number of queries that does not grow with its rows."""

from dataclasses import dataclass
from functools import partial

from django.contrib.auth.models import User
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db import connection
from django.db.models import (
    BooleanField,
    Case,
    Count,
    Exists,
    ExpressionWrapper,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    When,
)
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from annotation.models import (
    AgreementSnapshot,
    Assignment,
    Batch,
    Candidate,
    Dialogue,
    ImportJob,
    Membership,
    Participant,
    Seat,
    Source,
    Study,
)
from annotation.researchers import GROUP
from annotation.selectors.claims import OPEN_ENDED
from annotation.selectors.team import is_of_team
from annotation.selectors.waiting import unasked
from protocols.models import Criterion, ProtocolVersion

PersonStatus = Participant.Status
SUBMITTED = Assignment.Status.SUBMITTED
SAMPLED_DIALOGUES = 1000  # enough to know the metadata's fields without reading 100,000 rows


def count_of(rows: QuerySet, field: str) -> Coalesce:
    """Return the number of rows of the outer row, as a subquery: two joined counts would multiply each other."""
    grouped = rows.filter(**{field: OuterRef("pk")}).order_by().values(field).annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(grouped, output_field=IntegerField()), 0)


def study_list(studies: QuerySet[Study], user_id: int | None) -> QuerySet[Study]:
    """Return the studies with the person's role and the numbers on their cards."""
    mine = Membership.objects.filter(study=OuterRef("pk"), user=user_id).values("role")[:1]
    of_version = Criterion.objects.filter(version=OuterRef("protocol_version")).order_by().values("version")
    n_criteria = Subquery(of_version.annotate(n=Count("pk")).values("n"), output_field=IntegerField())
    # Main batches without a snapshot want this number of answers for each criterion.
    seats = Seat.objects.filter(batch__study=OuterRef("pk"), batch__kind=Batch.Kind.MAIN, batch__snapshot__isnull=True)
    wanted = seats.order_by().values("batch__study").annotate(n=Sum("batch__n_items")).values("n")
    n_unmeasured = Subquery(wanted, output_field=IntegerField())
    return (
        studies.select_related("protocol_version__protocol")
        .annotate(
            my_role=Subquery(mine),
            n_batches=count_of(Batch.objects.all(), "study"),
            n_annotators=count_of(Participant.objects.filter(status=PersonStatus.CLEARED), "study"),
            n_ratings=_snapshot("n_ratings"),
            n_wanted=_snapshot("n_wanted") + Coalesce(n_unmeasured, 0) * Coalesce(n_criteria, 0),
        )
        .order_by("-created_at", "slug")
    )


def _snapshot(field: str) -> Coalesce:
    row = AgreementSnapshot.objects.filter(study=OuterRef("pk"), batch__isnull=True).values(field)[:1]
    return Coalesce(Subquery(row), 0)


@dataclass(frozen=True, slots=True)
class Numbers:
    """Counts of what a study consists of. They come from tables, so they are right even while no worker runs.

    Seats count only where their number is fixed: not in open-ended batches, nor in those reserved for one person.
    """

    n_dialogues: int
    n_unasked: int
    n_candidates: int
    n_sources: int
    n_batches: int
    n_open_batches: int
    n_items: int
    n_seats: int
    n_taken: int
    n_submitted: int
    n_annotators: int
    n_cleared: int
    n_pending: int
    n_running_imports: int


def numbers_of(study: Study) -> Numbers:
    batches = Batch.objects.filter(study=study).aggregate(
        n_batches=Count("pk"),
        n_open_batches=Count("pk", filter=Q(status=Batch.Status.OPEN)),
        n_items=Coalesce(Sum("n_items"), 0),
    )
    seats = Seat.objects.filter(batch__study=study).exclude(_open_ended("batch__"))
    counts = seats.aggregate(
        n_seats=Count("pk"),
        n_taken=Count("assignment"),
        n_submitted=Count("pk", filter=Q(assignment__status=SUBMITTED)),
    )
    people = study.participants.exclude(is_of_team(), status=PersonStatus.PENDING).aggregate(
        n_annotators=Count("pk"),
        n_cleared=Count("pk", filter=Q(status=PersonStatus.CLEARED)),
        n_pending=Count("pk", filter=Q(status=PersonStatus.PENDING)),
    )
    return Numbers(
        n_dialogues=Dialogue.objects.filter(study=study).count(),
        n_unasked=unasked(study).count(),
        n_candidates=Candidate.objects.filter(dialogue__study=study).count(),
        n_sources=rated_sources(study).count(),
        n_running_imports=study.imports.filter(status__in=UNFINISHED).count(),
        **batches,
        **counts,
        **people,
    )


def rated_sources(study: Study) -> QuerySet[Source]:
    """Return the sources without those of training items, which have no results."""
    return study.sources.exclude(key__startswith=Source.EXAMPLES)


def _open_ended(prefix: str = "") -> Q:
    return Q(**{f"{prefix}kind__in": OPEN_ENDED}) | Q(**{f"{prefix}reserved_for__isnull": False})


UNFINISHED = (ImportJob.Status.QUEUED, ImportJob.Status.RUNNING)


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the checklist. The next step is the first that is not done."""

    title: str
    hint: str
    url_name: str
    link: str
    right: str
    is_done: bool
    is_next: bool = False


Said = tuple[str, str, str, str]  # of a step: its title, the name of its page, the words of the link, its hint
# The right that each step needs. Selectors cannot import access.Right, so these are its values.
STEP_RIGHTS = {
    "study_import": "import",
    "study_batches": "import",
    "study_people": "clear",
    "board": "watch",
    "report": "watch",
}


def checklist(study: Study, numbers: Numbers) -> list[Step]:
    """Return what to do with a study, in order, with the first open step marked."""
    hint = _("Tables and charts from the database, at any time. Close the study when you are done.")
    steps = [
        (_import_step(numbers), numbers.n_dialogues > 0),
        (_batch_step(study, numbers), numbers.n_batches > 0),
        (_people_step(study, numbers), numbers.n_cleared > 0 or study.is_joinable),
        (_open_step(study, numbers), study.status == Study.Status.OPEN and numbers.n_open_batches > 0),
        (_watch_step(numbers), numbers.n_submitted > 0),
        ((_("Report"), "report", _("Report"), hint), study.status == Study.Status.CLOSED),
    ]
    following = next((index for index, (_said, is_done) in enumerate(steps) if not is_done), None)
    return [
        Step(title, hint, url_name, link, STEP_RIGHTS[url_name], is_done, is_next=index == following)
        for index, ((title, url_name, link, hint), is_done) in enumerate(steps)
    ]


def _import_step(numbers: Numbers) -> Said:
    hint = _("Upload dialogues and the candidates to rate, or ratings you already have.")
    if numbers.n_dialogues:
        parts = {
            "dialogues": intcomma(numbers.n_dialogues),
            "candidates": intcomma(numbers.n_candidates),
            "sources": numbers.n_sources,
        }
        hint = _("%(dialogues)s dialogues, %(candidates)s candidates, %(sources)s sources.") % parts
    if numbers.n_unasked:
        text = ngettext(
            "The protocol has no question for %(number)s dialogue: see Batches.",
            "The protocol has no question for %(number)s dialogues: see Batches.",
            numbers.n_unasked,
        )
        hint += " " + text % {"number": intcomma(numbers.n_unasked)}
    return _("Import"), "study_import", _("Import dialogues"), hint


def _batch_step(study: Study, numbers: Numbers) -> Said:
    text = ngettext(
        "Split the dialogues into batches of %(n)s seat: each item gets one vote per seat.",
        "Split the dialogues into batches of %(n)s seats: each item gets one vote per seat.",
        study.seats,
    )
    hint = text % {"n": study.seats}
    if numbers.n_batches:
        parts = {
            "batches": intcomma(numbers.n_batches),
            "items": intcomma(numbers.n_items),
            "seats": intcomma(numbers.n_seats),
        }
        text = ngettext(
            "%(batches)s batch with %(items)s items and %(seats)s seats.",
            "%(batches)s batches with %(items)s items and %(seats)s seats.",
            numbers.n_batches,
        )
        hint = text % parts
    return _("Batches"), "study_batches", _("Make batches"), hint


def _people_step(study: Study, numbers: Numbers) -> Said:
    hint = _("Add annotators and clear them, or turn on the invitation link.")
    if numbers.n_annotators:
        text = ngettext(
            "%(number)s annotator: %(cleared)s cleared, %(pending)s waiting.",
            "%(number)s annotators: %(cleared)s cleared, %(pending)s waiting.",
            numbers.n_annotators,
        )
        hint = text % {
            "number": intcomma(numbers.n_annotators),
            "cleared": intcomma(numbers.n_cleared),
            "pending": intcomma(numbers.n_pending),
        }
    elif study.is_joinable:
        hint = _("The invitation link is on. Nobody has joined yet.")
    return _("People"), "study_people", _("Invite people"), hint


def _open_step(study: Study, numbers: Numbers) -> Said:
    hint = _("Open the study and its batches so that annotators can take seats.")
    if study.status == Study.Status.OPEN:
        text = ngettext(
            "The study is open, with %(open)s of %(number)s batch open.",
            "The study is open, with %(open)s of %(number)s batches open.",
            numbers.n_batches,
        )
        hint = text % {"open": intcomma(numbers.n_open_batches), "number": intcomma(numbers.n_batches)}
    return pgettext("a step of running a study", "Open"), "study_batches", _("Open batches"), hint


def _watch_step(numbers: Numbers) -> Said:
    hint = _("Live progress and agreement while annotators work.")
    if numbers.n_submitted:
        text = ngettext(
            "%(finished)s of %(number)s seat is finished.",
            "%(finished)s of %(number)s seats are finished.",
            numbers.n_seats,
        )
        hint = text % {"finished": intcomma(numbers.n_submitted), "number": intcomma(numbers.n_seats)}
    return pgettext("a step of running a study", "Watch"), "board", _("Live board"), hint


def batch_list(study: Study, named: str = "") -> QuerySet[Batch]:
    """Return the batches with counts of their seats. `named` limits them to the batch with this key.

    In batches that are `is_open_ended`, or reserved for one person, the seats do not say how many votes are wanted.
    """
    submitted = Seat.objects.filter(assignment__status=SUBMITTED)
    batches = study.batches.filter(key=named) if named else study.batches.all()
    return batches.annotate(
        is_open_ended=ExpressionWrapper(_open_ended(), output_field=BooleanField()),
        n_seats=count_of(Seat.objects.all(), "batch"),
        n_taken=count_of(Seat.objects.filter(assignment__isnull=False), "batch"),
        n_submitted=count_of(submitted, "batch"),
    ).order_by("position", "pk")


def usual_batch_size(study: Study) -> int | None:
    """Return the number of items of the first main batch, or None without one."""
    main = study.batches.filter(kind=Batch.Kind.MAIN, n_items__gt=0).order_by("position")
    return main.values_list("n_items", flat=True).first()


def member_list(study: Study) -> QuerySet[Membership]:
    """Return members who are not annotators. If `is_researcher`, they may make protocols and studies."""
    named = Exists(User.groups.through.objects.filter(group__name=GROUP, user=OuterRef("user")))
    rows = (
        study.memberships.exclude(role=Membership.Role.ANNOTATOR).select_related("user").annotate(is_researcher=named)
    )
    return rows.order_by("created_at", "pk")


def panel_list(study: Study) -> QuerySet[Participant]:
    """Return the panel, experts first."""
    return study.participants.exclude(panel="").select_related("user").order_by("panel", "pseudonym")


def participant_list(study: Study) -> QuerySet[Participant]:
    """Return annotators, those who wait for a decision first. Nobody decides about the team, so it never waits."""
    waiting = Case(When(status=PersonStatus.PENDING, is_team=False, then=0), default=1, output_field=IntegerField())
    of_participant = partial(count_of, field="participant")
    membership = Membership.objects.filter(study=study, user=OuterRef("user"), role=Membership.Role.ANNOTATOR).values(
        "pk"
    )[:1]
    return (
        study.participants.select_related("user")
        .annotate(
            n_submitted=of_participant(Assignment.objects.filter(status=SUBMITTED)),
            n_active=of_participant(Assignment.objects.filter(status=Assignment.Status.ACTIVE)),
            membership_id=Subquery(membership),
            is_team=is_of_team(),
        )
        .order_by(waiting, "created_at", "pk")
    )


def feedback_list(study: Study) -> QuerySet[Assignment]:
    """Return the assignments with feedback that annotators wrote to the researchers, newest first."""
    written = Assignment.objects.filter(batch__study=study).exclude(feedback="")
    return written.select_related("batch", "participant").order_by("-submitted_at", "-pk")


def metadata_fields(study: Study) -> list[str]:
    """Return the fields by which batches can be stratified, read from the first dialogues."""
    sql = """
        SELECT DISTINCT field FROM (
            SELECT metadata FROM annotation_dialogue
            WHERE study_id = %s AND jsonb_typeof(metadata) = 'object' ORDER BY position LIMIT %s
        ) AS sample, jsonb_object_keys(sample.metadata) AS field ORDER BY field LIMIT 100
    """
    with connection.cursor() as cursor:
        cursor.execute(sql, [study.pk, SAMPLED_DIALOGUES])
        return [field for (field,) in cursor.fetchall()]


def import_list(study: Study) -> QuerySet[ImportJob]:
    return study.imports.select_related("user").order_by("-created_at", "-pk")


def publishable_versions() -> QuerySet[ProtocolVersion]:
    """Return the versions that a study can follow, the newest of each protocol first."""
    published = ProtocolVersion.objects.filter(status=ProtocolVersion.Status.PUBLISHED)
    return published.select_related("protocol").order_by("protocol__name", "-published_at")


def find_account(name: str) -> User | None:
    """Return an active account by its exact username, or by an e-mail address that only one account has, or None."""
    active = User.objects.filter(is_active=True)
    named = active.filter(username=name).first()
    if named is not None:
        return named
    by_mail = list(active.filter(email__iexact=name).exclude(email="")[:2])
    return by_mail[0] if len(by_mail) == 1 else None
