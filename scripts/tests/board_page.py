#!/usr/bin/env python3
"""Plays on the page of `tengen board` in a browser: board_page.py PROGRAM [PICTURES]

Needs Chromium at /usr/bin/chromium, playwright and axe-playwright-python (pip install; playwright's
own browsers are not needed). Fails when a click, a tap or a key does something else than it should,
when axe finds that the page is not accessible, when the page writes to the console, asks anything of
another machine, or is wider than its window. With PICTURES, a folder, every state is drawn there.

The tests lie in the folder board.
"""

from playwright.sync_api import sync_playwright

from board import kept, playing, shown
from board.visitor import CHROMIUM, DESKTOP, FLAGS, PHONE, Server


def play_on(browser, url):
    """Everything, on the page at this address."""
    shown.sizes(browser, url)
    kept.address_restores_the_position(browser, url)
    kept.an_address_that_is_none_leaves_a_board(browser, url)
    playing.undo_and_redo(browser, url)
    playing.keyboard_only(browser, url)
    playing.won_by_clicks(browser, url, DESKTOP, "desktop")
    playing.won_by_clicks(browser, url, PHONE, "phone")
    shown.exact_scores_and_hints(browser, url)
    shown.exact_endgames_of_reversi(browser, url)
    shown.review_finds_the_blunder(browser, url)
    shown.a_new_game_ends_a_review(browser, url)
    kept.files_are_loaded(browser, url)
    kept.the_game_is_filmed(browser, url)
    kept.the_board_is_pictured(browser, url)
    playing.stones_move_unless_motion_is_reduced(browser, url)
    playing.a_position_is_set_up(browser, url)
    shown.chinese_is_chinese(browser, url)
    playing.bots_play_each_other(browser, url)
    playing.bots_pause(browser, url)
    playing.clocks_run_out(browser, url)
    playing.clocks_go_on(browser, url)
    playing.another_player_takes_over(browser, url)
    playing.the_dialogue_has_the_terms_of_the_game(browser, url)
    shown.reviews_are_of_one_game(browser, url)
    shown.candidates_are_of_the_position(browser, url)
    playing.a_game_that_is_looked_through_takes_no_time(browser, url)
    shown.threats_and_proofs_are_drawn(browser, url)
    shown.lines_are_shown_on_hover(browser, url)
    playing.swap2_is_a_dialogue(browser, url)
    playing.swap2_begins_while_the_engine_thinks(browser, url)
    playing.the_engine_ponders(browser, url)
    playing.clicks_are_answered_while_it_thinks(browser, url)
    playing.reversi_against_level_1(browser, url)


def run():
    with Server() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        play_on(browser, server.url)
        playing.a_refused_page_tries_again(browser, server.url)
        browser.close()
    print("all well")


if __name__ == "__main__":
    run()
