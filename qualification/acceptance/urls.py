"""Addresses of batch acceptance, below /studies/<slug>/acceptance/."""

from django.urls import path

from qualification.acceptance.views import batches, groups, reviews, samples

urlpatterns = [
    path("<slug:slug>/acceptance/", batches.acceptance, name="acceptance"),
    path("<slug:slug>/acceptance/plan/", batches.acceptance_plan, name="acceptance_plan"),
    path("<slug:slug>/acceptance/plan/curve/", batches.acceptance_plan_curve, name="acceptance_plan_curve"),
    path("<slug:slug>/acceptance/groups/", groups.acceptance_groups, name="acceptance_groups"),
    path("<slug:slug>/acceptance/groups/move/", groups.acceptance_groups_move, name="acceptance_groups_move"),
    path("<slug:slug>/acceptance/groups/dealing/", groups.acceptance_groups_dealing, name="acceptance_groups_dealing"),
    path("<slug:slug>/acceptance/groups/remove/", groups.acceptance_group_remove, name="acceptance_group_remove"),
    path("<slug:slug>/acceptance/<int:pk>/", samples.sample, name="sample"),
    path("<slug:slug>/acceptance/<int:pk>/take/", samples.sample_take, name="sample_take"),
    path("<slug:slug>/acceptance/<int:pk>/back/", samples.sample_give_back, name="sample_give_back"),
    path("<slug:slug>/acceptance/<int:pk>/decide/", samples.sample_decide, name="sample_decide"),
    path("<slug:slug>/acceptance/<int:pk>/review/", reviews.sample_review, name="sample_review"),
    path(
        "<slug:slug>/acceptance/<int:pk>/review/<int:position>/",
        reviews.sample_review_item,
        name="sample_review_item",
    ),
]
