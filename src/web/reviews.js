// Reviews of games, which the browser keeps.

import * as address from "./address.js";

/** The name of a game, the ply on the board aside. */
function keyOf(state) {
  return `review ${address.write({ ...state, ply: state.moves.length })}`;
}

/** Keeps the review of this game, and returns it with the name of the game. */
export function remember(state, review) {
  const named = { ...review, key: keyOf(state) };
  try {
    localStorage.setItem(named.key, JSON.stringify(named));
  } catch {
    // Without storage the review lasts as long as the page.
  }
  return named;
}

/** The review of this game, which may be the one that is `shown`; null where there is none. */
export function recall(state, shown) {
  const key = keyOf(state);
  if (shown?.key === key) return shown;
  try {
    const review = state.moves.length > 0 ? JSON.parse(localStorage.getItem(key)) : null;
    return review && { ...review, key };
  } catch {
    return null;
  }
}
