"""The data of a study as files: read with server-side cursors, written piece by piece, whatever the study's size."""
