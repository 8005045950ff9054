"""A description of each profile of a run, in the words that its file begins with: names alone say little to a buyer."""

from __future__ import annotations

import re
from pathlib import PurePath

from acceptance.loads.profiles import opening_comment
from acceptance.results.document import Results

# Up to the first full stop that ends a sentence, and not one in a name or a number.
_SENTENCE = re.compile(r".*?\.(?=\s|$)")


def profiles_in_words(results: Results) -> dict[str, str]:
    """Return a sentence by the profile's name, for profiles whose files are known and begin with a comment."""
    texts = results.tested_with.profiles if results.tested_with is not None else {}
    comments = {PurePath(name).stem: opening_comment(text) for name, text in texts.items()}
    return {name: _first_sentence(comment) for name, comment in comments.items() if comment}


def _first_sentence(text: str) -> str:
    sentence = _SENTENCE.match(text)
    return sentence[0] if sentence else text
