"""The qualification, below /studies/: for those who decide."""

from django.urls import path

from qualification.qualifying.views import candidates, rule

urlpatterns = [
    path("<slug:slug>/gate/", rule.gate, name="gate"),
    path("<slug:slug>/gate/curve/", rule.gate_curve, name="gate_curve"),
    path("<slug:slug>/gate/questions/", rule.gate_question_add, name="gate_question_add"),
    path("<slug:slug>/gate/questions/<int:pk>/delete/", rule.gate_question_delete, name="gate_question_delete"),
    path("<slug:slug>/gate/training/", rule.training_make, name="training_make"),
    path("<slug:slug>/gate/candidates/", candidates.candidates, name="candidates"),
    path("<slug:slug>/gate/candidates/<uuid:token>/", candidates.candidate_decide, name="candidate_decide"),
]
