"""Below /studies/<slug>/control/: batches are checked."""

from django.urls import path

from qualification.acceptance.views import batches, groups, reviews, samples

urlpatterns = [
    path("<slug:slug>/control/", batches.control, name="control"),
    path("<slug:slug>/control/plan/", batches.control_plan, name="control_plan"),
    path("<slug:slug>/control/plan/curve/", batches.control_plan_curve, name="control_plan_curve"),
    path("<slug:slug>/control/groups/", groups.control_groups, name="control_groups"),
    path("<slug:slug>/control/groups/move/", groups.control_groups_move, name="control_groups_move"),
    path("<slug:slug>/control/groups/dealing/", groups.control_groups_dealing, name="control_groups_dealing"),
    path("<slug:slug>/control/groups/remove/", groups.control_group_remove, name="control_group_remove"),
    path("<slug:slug>/control/<int:pk>/", samples.control_inspection, name="control_inspection"),
    path("<slug:slug>/control/<int:pk>/take/", samples.control_take, name="control_take"),
    path("<slug:slug>/control/<int:pk>/back/", samples.control_give_back, name="control_give_back"),
    path("<slug:slug>/control/<int:pk>/decide/", samples.control_decide, name="control_decide"),
    path("<slug:slug>/control/<int:pk>/check/", reviews.control_check, name="control_check"),
    path(
        "<slug:slug>/control/<int:pk>/check/<int:position>/",
        reviews.control_check_item,
        name="control_check_item",
    ),
]
