#!/usr/bin/env python3
"""Writes the first corpus of the fuzz target: what protocol.md says to Tengen, and its words."""

import re
from pathlib import Path

HERE = Path(__file__).parent
FIRST_BYTES = 64  # of the target: more than protocols times games, which it counts round

page = (HERE.parent / "protocol.md").read_text()
transcripts = re.findall(r"^```.*?\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
said = [[line[2:] for line in text.splitlines() if line.startswith("> ")] for text in transcripts]

corpus = HERE / "corpus" / "feed"
corpus.mkdir(parents=True, exist_ok=True)
for number, lines in enumerate(lines for lines in said if lines):
    # The first byte of a line may be any but that which ends it.
    text = "\n".join(chr(64 + 2 * number % 64) + line for line in lines).encode()
    for first in range(FIRST_BYTES):
        (corpus / f"{number:03}-{first:02}").write_bytes(bytes([first]) + text)

words = {word for lines in said for line in lines for word in re.findall(r"[A-Za-z_]{2,}", line)}
(HERE / "words.dict").write_text("".join(f'"{word}"\n' for word in sorted(words)))
