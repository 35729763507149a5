"""Template filters that turn the codes of a protocol into words."""

from functools import partial

from django import template

from protocols import labels

register = template.Library()

for _name, _words in (
    ("unit_word", labels.UNIT),
    ("of_a_unit", labels.OF_A_UNIT),
    ("order_word", labels.ORDER),
    ("scale_word", labels.SCALE),
    ("role_word", labels.ROLE),
    ("status_word", labels.STATUS),
    ("none_word", labels.NONE),
):
    register.filter(_name, partial(labels.word_of, _words))
register.filter("alternatives", labels.alternatives)
register.filter("place_words", labels.place_words)
register.filter("rule_sentence", labels.rule_sentence)
