"""Addresses of the qualification below /studies/, for those who decide."""

from django.urls import path

from qualification.qualifying.views import candidates, rule

urlpatterns = [
    path("<slug:slug>/qualification/", rule.qualification, name="qualification"),
    path("<slug:slug>/qualification/curve/", rule.qualification_curve, name="qualification_curve"),
    path("<slug:slug>/qualification/questions/", rule.qualification_question_add, name="qualification_question_add"),
    path(
        "<slug:slug>/qualification/questions/<int:pk>/delete/",
        rule.qualification_question_delete,
        name="qualification_question_delete",
    ),
    path("<slug:slug>/qualification/training/", rule.training_make, name="training_make"),
    path("<slug:slug>/qualification/candidates/", candidates.candidates, name="candidates"),
    path("<slug:slug>/qualification/candidates/<uuid:token>/", candidates.candidate_decide, name="candidate_decide"),
]
