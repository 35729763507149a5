"""Routes below /studies/."""

from django.urls import path

from annotation.judges import views as judges
from annotation.views import imports, moving, people, studies

urlpatterns = [
    path("", studies.study_list, name="studies"),
    path("new/", studies.study_new, name="study_new"),
    path("<slug:slug>/", studies.study, name="study"),
    path("<slug:slug>/settings/", studies.study_settings, name="study_settings"),
    path("<slug:slug>/protocol/", moving.study_protocol, name="study_protocol"),
    path("<slug:slug>/status/", studies.study_status, name="study_status"),
    path("<slug:slug>/import/", imports.study_import, name="study_import"),
    path("<slug:slug>/import/preview/", imports.study_import_preview, name="study_import_preview"),
    path("<slug:slug>/import/<uuid:token>/", imports.study_import_job, name="study_import_job"),
    path("<slug:slug>/import/<uuid:token>/take-back/", imports.study_import_take_back, name="study_import_take_back"),
    path("<slug:slug>/import/<uuid:token>/status/", imports.study_import_job_status, name="study_import_job_status"),
    path("<slug:slug>/predictions/<uuid:token>/delete/", imports.metric_delete, name="metric_delete"),
    path("<slug:slug>/judges/", judges.judge_runs, name="judge_runs"),
    path("<slug:slug>/judges/<uuid:token>/", judges.judge_run, name="judge_run"),
    path("<slug:slug>/judges/<uuid:token>/status/", judges.judge_run_status, name="judge_run_status"),
    path("<slug:slug>/judges/<uuid:token>/act/", judges.judge_run_act, name="judge_run_act"),
    path("<slug:slug>/dialogues/", studies.study_dialogues, name="study_dialogues"),
    path("<slug:slug>/dialogues/remove/", studies.study_dialogues_remove, name="study_dialogues_remove"),
    path("<slug:slug>/batches/", studies.study_batches, name="study_batches"),
    path("<slug:slug>/batches/status/", studies.study_batches_status, name="study_batches_status"),
    path("<slug:slug>/batches/discard/", studies.study_batches_discard, name="study_batches_discard"),
    path("<slug:slug>/people/", people.study_people, name="study_people"),
    path("<slug:slug>/people/feedback/", people.study_feedback, name="study_feedback"),
    path("<slug:slug>/people/add/", people.study_member_add, name="study_member_add"),
    path("<slug:slug>/people/new/", people.study_account_create, name="study_account_create"),
    path("<slug:slug>/people/clear/", people.study_clear_all, name="study_clear_all"),
    path("<slug:slug>/people/panel/", people.study_panel, name="study_panel"),
    path("<slug:slug>/people/invitation/", people.study_invitation, name="study_invitation"),
    path("<slug:slug>/people/roles/<int:pk>/", people.study_member_role, name="study_member_role"),
    path("<slug:slug>/people/researchers/<int:pk>/", people.study_researcher, name="study_researcher"),
    path("<slug:slug>/people/status/<uuid:token>/", people.participant_status, name="participant_status"),
]
