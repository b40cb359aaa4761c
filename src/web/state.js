// What the page knows of the game, and the names of things in it.

import { STONES } from "./board.js";
import { text } from "./texts.js";

/** The letters of columns. */
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** What the page knows. */
export const app = {
  state: null,
  /** Who plays each side: `you`, `tengen` or a level. */
  players: ["you", "3"],
  /** What the engine is asked for: a move, hints, scores, a review; null when it rests. */
  asked: null,
  /** The engine waits until it is told to move. */
  paused: false,
  /** Another position of the game is asked for, which is no move that is played. */
  jumping: false,
  /** A new game is asked for, whose clocks are full. */
  beginning: false,
  hints: false,
  found: null,
  /** The address of the position whose candidates are listed; null where none are. */
  thoughtsOf: null,
  /** Exact scores of the position on the board, by cell. */
  exact: null,
  /** The win rate of the first side by ply. */
  values: [],
  review: null,
  cursor: 0,
  /** A tapped cell that waits to be confirmed. */
  chosen: null,
  /** The cell that a pointer or the keys are on. */
  pointed: null,
  /** A picture that moves, while it is made: the stones after each ply so far, and the ply to go back to. */
  film: null,
  settingUp: null,
  /** How far an opening by Swap2 is. */
  swap2: null,
  /** The engine thinks in the time of the other side. */
  pondering: false,
  written: "",
  send: () => {},
};

export const find = (id) => document.getElementById(id);

/** Sends a line that changes the board or asks for a thought; what was thought before has ended. */
export function ask(what, line) {
  app.asked = what;
  app.send(line);
}

// ---- Names

export function sideName(side) {
  return text(STONES[app.state.game][side]);
}

/** The side to move after so many plies: sides always take turns. */
export function sideAt(ply) {
  return (app.state.to_move + app.state.ply + ply) % 2;
}

/** The side whose player acts now: that to move, but in an opening by Swap2. */
export function turn() {
  return app.swap2?.by ?? app.state.to_move;
}

/** Whether a person may put a stone now. */
export function mayPlay() {
  return !app.state.outcome && app.asked !== "review" && !isEngine(turn()) && (!app.swap2 || app.swap2.until !== undefined);
}

export function isEngine(side) {
  return app.players[side] !== "you";
}

function cellName(cell) {
  const { game, cols, rows } = app.state;
  const [col, row] = [cell % cols, Math.floor(cell / cols)];
  if (game === "connect4") return `${col + 1}-${rows - row}`;
  return LETTERS[col] + (game === "gomoku" ? rows - row : row + 1);
}

export function labelled(state) {
  const { game, cols, rows } = state;
  const numbers = (count) => Array.from({ length: count }, (_, index) => String(index + 1));
  const row_labels = game === "gomoku" ? numbers(rows).reverse() : game === "reversi" ? numbers(rows) : [];
  return { ...state, row_labels, col_labels: game === "connect4" ? numbers(cols) : [...LETTERS].slice(0, cols) };
}

/** The legal move that a cell stands for; in Connect Four the whole column does. */
export function moveAt(cell) {
  const { legal, game, cols } = app.state;
  const own = legal.find(([, filled]) => filled === cell);
  if (own || game !== "connect4") return own;
  return legal.find(([move, filled]) => move !== "steal" && filled !== null && filled % cols === cell % cols);
}

export function cellLabel(cell) {
  const { stones, last, row, forbidden, hole, game, outcome, threats } = app.state;
  const stone = stones[cell];
  const facts = [cellName(cell)];
  if (cell === hole) facts.push(text("holeCell"));
  else if (stone === ".") facts.push(text("empty"));
  else facts.push(sideName(stone === "X" ? 0 : 1));
  if (forbidden.includes(cell)) facts.push(text("forbidden"));
  for (const [at, side, count] of threats ?? []) if (at === cell) facts.push(text(count === 5 ? "makesFive" : "makesFour", sideName(side)));
  if (last[0] === cell) facts.push(text("lastMove"));
  if (row.includes(cell)) facts.push(text("winning"));
  if (!outcome && game !== "gomoku" && stone === "." && app.state.legal.some(([, filled]) => filled === cell)) facts.push(text("legal"));
  const hint = hintAt(cell);
  if (hint) facts.push(text("hintOf", Math.round(100 * hint.value)));
  return facts.join(", ");
}

/** What the engine found of the move on a cell. */
export function hintAt(cell) {
  return app.hints && app.found?.moves.find((move) => move.cell === cell);
}

/** What the engine found, with the exact scores that the solver told. */
export function known() {
  const scores = new Map((app.exact?.moves ?? []).map(({ move, score }) => [move, score]));
  if (!app.found) return null;
  const moves = app.found.moves.map((it) => ({ ...it, score: scores.get(it.move) }));
  // Where every move has one, nothing else says which is better.
  if (moves.every((it) => it.score !== undefined)) moves.sort((one, other) => other.score - one.score);
  return { ...app.found, moves };
}
