"""Write a whole study to one file as an export, and read it back into an empty Parley."""
