from django.urls import path

from reporting.board.pieces import AGREEMENT, QUALITY
from reporting.board.views import board_fragment, board_page

urlpatterns = [
    path("<slug:slug>/board/", board_page, {"part": AGREEMENT}, name="board"),
    path("<slug:slug>/board/fragment/", board_fragment, {"part": AGREEMENT}, name="board_fragment"),
    path("<slug:slug>/board/quality/", board_page, {"part": QUALITY}, name="board_quality"),
    path("<slug:slug>/board/quality/fragment/", board_fragment, {"part": QUALITY}, name="board_quality_fragment"),
]
