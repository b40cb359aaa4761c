#!/usr/bin/env python3
"""A game of Reversi in Quarry's window, against GRhino: quarry.py PROGRAM

Needs Debian's quarry, grhino, xvfb, xdotool and a font. Quarry is told the players by its
configuration file and driven by keys. What it says to Tengen is read from Tengen's transcript.
"""

import os
import re
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
MOVES = 20  # of Tengen's; its half of most games is 30, but GRhino may lose all its discs
PATIENCE = 120.0  # seconds

CONFIGURATION = """\
[GTP Engine "Tengen"]
Screen name format = "%n"
Name = "Tengen"
Command line = "{tengen}"
Supported games = "Reversi"

[GTP Engine "GTP GRhino"]
Screen name format = "%n"
Name = "GTP GRhino"
Command line = "/usr/games/gtp-rhino"
Supported games = "Reversi"

[New Game Parameters]
Game = "Reversi"
White player name = "white"
White is computer = true
Engine playing white = "Tengen"
Black player name = "black"
Black is computer = true
Engine playing black = "GTP GRhino"
"""


def lines_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []


def wait_for(what, met):
    end = time.monotonic() + PATIENCE
    while not met():
        if time.monotonic() > end:
            sys.exit(f"Quarry: {what} did not come in {PATIENCE:.0f} s")
        time.sleep(0.2)


def press(display, window, key):
    """Waits for a window by its title, and presses a key in it."""
    environment = {**os.environ, "DISPLAY": display}
    search = ["xdotool", "search", "--onlyvisible", "--name", window]
    found = lambda: subprocess.run(search, env=environment, capture_output=True).returncode == 0
    wait_for(f"the window {window!r}", found)
    time.sleep(1)  # A window takes keys a little after it is there.
    # With no window manager the keys go to the window below the pointer, and all are top left.
    subprocess.run(["xdotool", "mousemove", "150", "130", "key", key], env=environment, check=True)


def ended(transcript):
    """Whether Tengen has ended the game: the moves of both are told anew to another Tengen."""
    lines = ["set_game Othello"]
    for line in lines_of(transcript):
        if played := re.search(r"> (play \w+ [A-H][1-8])$", line):
            lines.append(played[1])
        elif answer := re.search(r"< = ([A-H][1-8])$", line):
            lines.append(f"play white {answer[1]}")
    again = "\n".join([*lines, "final_score\n"])
    said = subprocess.run([PROGRAM], input=again, capture_output=True, text=True, check=True)
    return said.stdout.split("\n")[-3].startswith("= ")


def play(home, display):
    transcript = os.path.join(home, "transcript")
    tengen = f"{PROGRAM} --game reversi --time 100 --transcript {transcript}"
    with open(os.path.join(home, ".quarry"), "w") as file:
        file.write(CONFIGURATION.format(tengen=tengen))
    environment = {**os.environ, "DISPLAY": display, "HOME": home}
    quarry = subprocess.Popen(["/usr/games/quarry"], env=environment, stderr=subprocess.DEVNULL)
    try:
        press(display, "Quarry Control Center", "alt+n")
        press(display, "^New Game$", "alt+f")
        press(display, "^New Game$", "alt+p")
        answers = lambda sign: [l for l in lines_of(transcript) if re.search(rf"< {sign}", l)]
        moves = lambda: [l for l in answers("=") if re.search(r"= [A-H][1-8]$", l)]
        enough = lambda: len(moves()) >= MOVES or ended(transcript)
        wait_for(f"the move {MOVES}", lambda: enough() or answers(r"\?"))
        if answers(r"\?"):
            sys.exit("Quarry was refused something:\n" + "\n".join(lines_of(transcript)))
    finally:
        quarry.kill()
        quarry.wait()
    print(f"Quarry took {len(moves())} moves, the last {moves()[-1].split()[-1]}")


def main():
    reader, writer = os.pipe()
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1024x768x24", "-nolisten", "tcp"]
    screen = subprocess.Popen(command, pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        with os.fdopen(reader) as pipe, tempfile.TemporaryDirectory() as home:
            play(home, ":" + pipe.readline().strip())
    finally:
        screen.terminate()
        screen.wait()


if __name__ == "__main__":
    main()
