from django.urls import path

from reporting.board import views

urlpatterns = [
    path("<slug:slug>/board/", views.board, name="board"),
    path("<slug:slug>/board/fragment/", views.board_fragment, name="board_fragment"),
    path("<slug:slug>/board/quality/", views.board_quality, name="board_quality"),
    path("<slug:slug>/board/quality/fragment/", views.board_quality_fragment, name="board_quality_fragment"),
]
