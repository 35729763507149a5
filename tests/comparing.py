"""A protocol that compares two candidates, a study that uses it, and what is read off it."""

COMPARED = {
    "bundle": 1,
    "protocol": "pairs",
    "name": "Pairs",
    "version": "1.0",
    "unit": "comparison",
    "mode": "comparative",
    "order": "item_first",
    "guidelines_short": "Read both.",
    "guidelines": "Read both, then choose.",
    "criteria": [
        {
            "key": "better",
            "name": "Better",
            "question": "Which response is better?",
            "options": [
                {"key": "much-left", "label": "Much better on the left", "role": "left"},
                {"key": "left", "label": "Better on the left", "role": "left"},
                {"key": "equal", "label": "Both are equal", "role": "equal"},
                {"key": "right", "label": "Better on the right", "role": "right"},
                {"key": "much-right", "label": "Much better on the right", "role": "right"},
                {"key": "bad", "label": "Both are bad", "role": "both_bad"},
                {"key": "unsure", "label": "I don't know", "role": "unsure"},
            ],
            "examples": [
                {
                    "title": "A greeting",
                    "history": [{"speaker": "A", "text": "Good morning!"}],
                    "candidates": [{"text": "Good morning, did you sleep well?"}, {"text": "No."}],
                    "option": "much-left",
                    "why": "The left one answers, the right one does not.",
                }
            ],
        }
    ],
}
