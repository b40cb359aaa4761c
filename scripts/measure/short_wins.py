#!/usr/bin/env python3
"""Finds moves of an engine that lose to a win in one, two or three, seen by a plain search.

    tengen match tengen gomocup:pela --game gomoku --json pela.jsonl
    scripts/measure/short_wins.py pela.jsonl --engine tengen --positions 2000

A win in one is a five. In two: a stone after which every answer leaves a five. In three: a stone
after which every answer leaves a win in two. A move is told where the opponent has such a win after
it and some other move would have left none so short. Freestyle only.
"""

import argparse
import json


class Board:
    """Sets of cells as the bits of a number; a guard column parts the rows."""

    def __init__(self, size):
        self.size, self.stride = size, size + 1
        self.all = sum(1 << self.cell(c, r) for c in range(size) for r in range(size))
        self.steps = (1, self.stride, self.stride + 1, self.stride - 1)

    def cell(self, col, row):
        return row * self.stride + col

    def parse(self, text):
        return 1 << self.cell(ord(text[0]) - ord("a"), int(text[1:]) - 1)

    def with_stones(self, own, empty, wanted):
        """The empty cells of rows of five that hold so many own stones and else nothing."""
        found = 0
        for step in self.steps:
            places = [(own >> k * step, empty >> k * step) for k in range(5)]
            counts = {0: self.all}
            for stone, free in places:
                after = {}
                for number, starts in counts.items():
                    after[number + 1] = after.get(number + 1, 0) | starts & stone
                    after[number] = after.get(number, 0) | starts & free
                counts = after
            starts = counts.get(wanted, 0)
            for k in range(5):
                found |= starts << k * step
        return found & empty


def cells(bits):
    while bits:
        low = bits & -bits
        yield low
        bits ^= low


def wins(board, own, other, depth):
    """A cell with which the side of `own`, to move, wins in `depth` stones, or 0."""
    empty = board.all & ~(own | other)
    fives = board.with_stones(own, empty, 4)
    if fives or depth == 1:
        return fives & -fives
    tries = board.with_stones(other, empty, 4)
    # A stone that leads to a win in so few belongs to a row with stones that are there already.
    if not tries:
        for stones in range(5 - depth, 4):
            tries |= board.with_stones(own, empty, stones)
    for cell in cells(tries):
        if loses(board, own | cell, other, depth - 1):
            return cell
    return 0


def loses(board, own, other, depth):
    """Whether every answer of the side of `other` leaves a win in `depth` stones."""
    empty = board.all & ~(own | other)
    if board.with_stones(other, empty, 4):
        return False
    # Without a threat in the first place there is nothing to answer.
    if not wins(board, own, other, depth):
        return False
    answers = board.with_stones(own, empty, 4) or empty
    return all(wins(board, own, other | answer, depth) for answer in cells(answers))


def errors(board, own, other, move):
    """In how many stones the opponent wins after `move`, if another move would have prevented it."""
    if move & board.with_stones(own, board.all & ~(own | other), 4):
        return 0
    for depth in (1, 2, 3):
        if not wins(board, other, own | move, depth):
            continue
        empty = board.all & ~(own | other)
        saved = any(not wins(board, other, own | cell, depth) for cell in cells(empty))
        return depth if saved else 0
    return 0


def positions(record, engine):
    """The moves of an engine in a game, each with the stones before it: own, other, move."""
    size = int(record["setup"].split("x")[-1].split()[0])
    board = Board(size)
    texts = record["opening"] + [played["move"] for played in record["moves"]]
    mover = record["first"]
    stones = [0, 0]
    for number, text in enumerate(texts):
        move = board.parse(text)
        if number >= len(record["opening"]) and record["engines"][mover] == engine:
            yield board, stones[mover], stones[1 - mover], move
        stones[mover] |= move
        mover = 1 - mover


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("records", nargs="+", help="files of tengen match --json")
    arguments.add_argument("--engine", default="tengen", help="whose moves, as in the match")
    arguments.add_argument("--positions", type=int, default=2000)
    options = arguments.parse_args()
    looked, found = 0, [0, 0, 0]
    for path in options.records:
        for line in open(path, encoding="utf-8"):
            record = json.loads(line)
            for place in positions(record, options.engine):
                if looked == options.positions:
                    break
                looked += 1
                depth = errors(*place)
                if depth:
                    found[depth - 1] += 1
                    print(f"{path}: game {record['number']}: loses to a win in {depth}", flush=True)
    print(f"{looked} positions: lost to a win in one {found[0]}, two {found[1]}, three {found[2]}")


if __name__ == "__main__":
    main()
