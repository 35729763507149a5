"""List the ratings of a study under pseudonyms, for users who may read single answers."""

from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import Right
from annotation.api.base import StudyView
from annotation.api.serializers import RatingFilterSerializer, RatingSerializer
from annotation.models import Candidate, Item, Rating, Study
from protocols.models import Explanation, Option, ProtocolVersion

LARGEST_ID = 2**63 - 1


class RatingPages(CursorPagination):
    """Page by key instead of by number, so that page 100,000 costs no more than the first."""

    ordering = "pk"
    page_size = 200
    max_page_size = 1000
    page_size_query_param = "page_size"

    def decode_cursor(self, request: Request) -> Cursor | None:
        cursor = super().decode_cursor(request)
        position = "0" if cursor is None or cursor.position is None else str(cursor.position)
        if not (position.isascii() and position.isdigit() and len(position) < 20 and int(position) <= LARGEST_ID):
            raise exceptions.NotFound(self.invalid_cursor_message)
        return cursor


class RatingsView(StudyView):
    serializer_class = RatingSerializer
    pagination_class = RatingPages
    rights = {"GET": Right.READ}

    @extend_schema(
        operation_id="ratings_list", parameters=[RatingFilterSerializer], responses=RatingSerializer(many=True)
    )
    def get(self, request: Request, slug: str) -> Response:
        """List ratings in the order they were first given, with annotators under their pseudonyms."""
        asked = RatingFilterSerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        page = self.paginate_queryset(ratings_of(self.study, **asked.validated_data))
        context = names_of(self.study) | {"sides": sides_of({rating.item for rating in page or ()})}
        return self.get_paginated_response(RatingSerializer(page, many=True, context=context).data)


def ratings_of(study: Study, *, batch: str = "", criterion: str = "") -> QuerySet[Rating]:
    rows = Rating.objects.filter(batch__study=study).select_related(
        "assignment__participant", "assignment__seat", "batch", "item__dialogue", "item__candidate", "item__source",
        "item__dialogue__source", "item__other_dialogue__source", "criterion__version", "option",
    )  # fmt: skip
    rows = rows.filter(batch__key=batch) if batch else rows
    return rows.filter(criterion__key=criterion) if criterion else rows


def sides_of(items: Iterable[Item]) -> dict[int, tuple[str, str]]:
    """Return the keys of both sources of each comparison, by item, in the order that answers are stored for."""
    compared = [item for item in items if item.unit == ProtocolVersion.Unit.COMPARISON]
    shown = {pk for item in compared for pk in item.shown}
    keys = dict(Candidate.objects.filter(pk__in=shown).values_list("pk", "source__key"))
    found = {}
    for item in compared:
        whole = [each.source.key if each and each.source else "" for each in (item.dialogue, item.other_dialogue)]
        first, second = [keys[pk] for pk in item.shown] if item.shown else whole
        found[item.pk] = (first, second)
    return found


def names_of(study: Study) -> dict[str, Any]:
    """Return names for the ids in ratings, from all versions of the protocol: the study may have used another one."""
    protocol = study.protocol_version.protocol_id
    explanations = Explanation.objects.filter(option__criterion__version__protocol=protocol)
    options = Option.objects.filter(criterion__version__protocol=protocol)
    return {
        "reasons": {
            pk: {"key": key, "sub_dimension": hidden}
            for pk, key, hidden in explanations.values_list("pk", "key", "sub_dimension")
        },
        "options": dict(options.values_list("pk", "key")),
        "version": study.protocol_version_id,
    }
