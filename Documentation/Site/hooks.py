"""Colours scripts on the site, by the grammar that editors use."""

import json
import re
import sys
from pathlib import Path

from pygments.lexer import RegexLexer
from pygments.lexers import LEXERS
from pygments.token import (
    Comment, Generic, Keyword, Literal, Name, Number, Operator, String, Text, Whitespace)

__all__ = ["FRCLexer"]

# What Scripts/site copies beside this file.
GRAMMAR = json.loads((Path(__file__).parent / "frc.tmLanguage.json").read_text())["repository"]

TOKENS = {
    "expected": Generic.Output,
    "directive": Comment.Preproc,
    "comment": Comment,
    "date": Literal.Date,
    "object": Name.Constant,
    "number": Number,
    "statement": Keyword,
    "clause": Keyword,
    "model": Keyword.Declaration,
    "type": Keyword.Type,
    "predicate": Operator.Word,
    "constant": Keyword.Constant,
    "variable": Name.Variable,
    "operator": Operator,
}


def expression(name):
    """Python's `re` has no classes of Unicode's properties."""
    return GRAMMAR[name]["match"].replace(r"\p{Lu}", "[A-Z]")


class FRCLexer(RegexLexer):
    name = "frc"
    aliases = ["frc"]
    filenames = ["*.frc"]
    flags = re.MULTILINE
    tokens = {
        "root": [
            *[(expression(name), TOKENS[name]) for name in ("expected", "directive", "comment")],
            (r'"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])*\'', String),
            *[
                (expression(name), TOKENS[name])
                for name in TOKENS
                if name not in ("expected", "directive", "comment")
            ],
            (r"\w+", Text),
            (r"\s+", Whitespace),
            (r".", Text),
        ]
    }


sys.modules["frc_lexer"] = sys.modules[__name__]
LEXERS["FRCLexer"] = ("frc_lexer", "frc", ("frc",), ("*.frc",), ())
