"""The gate: below /studies/ for those who decide, below /work/ for those who qualify."""

from django.urls import path

from qualification.views import candidates, gate, hub, training

urlpatterns = [
    path("<slug:slug>/quality/", hub.quality, name="quality"),
    path("<slug:slug>/gate/", gate.gate, name="gate"),
    path("<slug:slug>/gate/curve/", gate.gate_curve, name="gate_curve"),
    path("<slug:slug>/gate/questions/", gate.gate_question_add, name="gate_question_add"),
    path("<slug:slug>/gate/questions/<int:pk>/delete/", gate.gate_question_delete, name="gate_question_delete"),
    path("<slug:slug>/gate/training/", gate.training_make, name="training_make"),
    path("<slug:slug>/gate/candidates/", candidates.candidates, name="candidates"),
    path("<slug:slug>/gate/candidates/<uuid:token>/", candidates.candidate_decide, name="candidate_decide"),
]
work_urlpatterns = [
    path("gate/<slug:slug>/", training.gate_state, name="gate_state"),
    path("gate/<slug:slug>/questions/", training.comprehension, name="comprehension"),
    path("<uuid:token>/<int:position>/<int:number>/why/", training.training_answer, name="training_answer"),
]
