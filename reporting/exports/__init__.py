"""Export the data of a study as files, in bounded memory: read with server-side cursors, written piece by piece."""
