"""Texts that are hard to write down."""

from hypothesis import strategies as st

# What PostgreSQL stores and the forms let through: no NUL, no lone surrogates.
TEXTS = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\x00"))
HOSTILE = st.sampled_from(
    ["=1+1", "'=1", "''-2", "+", "-3", "@x", "\t=", "\r=", 'a"b', "a,b", "a\nb", "'", "", "a\r\nb", " a", '"', "=,"]
)
ANY_TEXT = TEXTS | HOSTILE
