"""Count the words of a free text."""

import re

# Chinese and Japanese are written without blanks: each character counts as a word, as word processors count them.
ALONE = "\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
PUNCTUATION = "\u3000-\u3004\u3006\u3008-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
WORD = re.compile(f"[{ALONE}]|[^\\s{ALONE}{PUNCTUATION}]+")


def count_words(text: str) -> int:
    return len(WORD.findall(text))
