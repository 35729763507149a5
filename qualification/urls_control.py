"""Below /studies/<slug>/control/: batches are checked."""

from django.urls import path

from qualification.views import control, control_checks, control_groups, control_inspections

urlpatterns = [
    path("<slug:slug>/control/", control.control, name="control"),
    path("<slug:slug>/control/plan/", control.control_plan, name="control_plan"),
    path("<slug:slug>/control/plan/curve/", control.control_plan_curve, name="control_plan_curve"),
    path("<slug:slug>/control/groups/", control_groups.control_groups, name="control_groups"),
    path("<slug:slug>/control/groups/move/", control_groups.control_groups_move, name="control_groups_move"),
    path("<slug:slug>/control/groups/dealing/", control_groups.control_groups_dealing, name="control_groups_dealing"),
    path("<slug:slug>/control/groups/remove/", control_groups.control_group_remove, name="control_group_remove"),
    path("<slug:slug>/control/<int:pk>/", control_inspections.control_inspection, name="control_inspection"),
    path("<slug:slug>/control/<int:pk>/take/", control_inspections.control_take, name="control_take"),
    path("<slug:slug>/control/<int:pk>/back/", control_inspections.control_give_back, name="control_give_back"),
    path("<slug:slug>/control/<int:pk>/decide/", control_inspections.control_decide, name="control_decide"),
    path("<slug:slug>/control/<int:pk>/check/", control_checks.control_check, name="control_check"),
    path(
        "<slug:slug>/control/<int:pk>/check/<int:position>/",
        control_checks.control_check_item,
        name="control_check_item",
    ),
]
