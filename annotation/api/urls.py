"""Routes below /api/v1/."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter
from drf_spectacular.views import SpectacularAPIView

from annotation.api import answers, batches, imports, marks, ratings, studies, token


class KeyConverter(StringConverter):
    """Match a key from an import: any characters that can be stored, including slashes."""

    regex = r"[^\x00-\x1f]{1,100}"


register_converter(KeyConverter, "key")

urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="api_schema"),
    path("token/", token.TokenView.as_view(), name="api_token"),
    path("answers/", answers.AnswersView.as_view(), name="api_answers"),
    path("answers/several/", answers.SeveralAnswersView.as_view(), name="api_several_answers"),
    path("marks/", marks.MarksView.as_view(), name="api_marks"),
    path("studies/", studies.StudiesView.as_view(), name="api_studies"),
    path("studies/<slug:slug>/", studies.OneStudyView.as_view(), name="api_study"),
    path("studies/<slug:slug>/status/", studies.StudyStatusView.as_view(), name="api_study_status"),
    path("studies/<slug:slug>/members/", studies.MembersView.as_view(), name="api_members"),
    path("studies/<slug:slug>/members/<int:pk>/", studies.MemberView.as_view(), name="api_member"),
    path("studies/<slug:slug>/participants/", studies.ParticipantsView.as_view(), name="api_participants"),
    path("studies/<slug:slug>/participants/<uuid:token>/", studies.ParticipantView.as_view(), name="api_participant"),
    path("studies/<slug:slug>/imports/", imports.ImportsView.as_view(), name="api_imports"),
    path("studies/<slug:slug>/imports/<uuid:token>/", imports.ImportView.as_view(), name="api_import"),
    path(
        "studies/<slug:slug>/imports/<uuid:token>/take-back/",
        imports.ImportTakeBackView.as_view(),
        name="api_import_take_back",
    ),
    path("studies/<slug:slug>/batches/", batches.BatchesView.as_view(), name="api_batches"),
    path("studies/<slug:slug>/batches/<key:key>/", batches.BatchView.as_view(), name="api_batch"),
    path("studies/<slug:slug>/ratings/", ratings.RatingsView.as_view(), name="api_ratings"),
]
