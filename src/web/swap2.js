// The opening of Gomoku by Swap2: one player puts three stones, the other takes a colour or puts two more
// and leaves the colour to the first.

import { element } from "./board.js";
import { app, find, isEngine } from "./state.js";
import { text } from "./texts.js";

/** How long the engine thinks about the colour, in milliseconds. */
const CHOICE_TIME = 1500;

/** Three stones after which the engine gives white 45 to 55 percent on 15×15: columns and rows from the centre. */
const OPENINGS = [
  [[-1, -6], [-2, -5], [-3, -4]], [[1, 5], [-1, -4], [1, 1]], [[0, -4], [-1, -3], [-4, -1]], [[0, -5], [-2, -6], [5, -4]],
  [[-2, 1], [-4, 5], [-6, -5]], [[0, -4], [3, -2], [3, -1]], [[-1, 2], [-4, 2], [-4, -3]], [[1, -2], [5, -5], [5, 4]],
];

/**
 * How far the opening is: `by` is the player (by the side that was chosen for it) whose turn it is, `step` what it does,
 * `told` the text that says so.
 */
const STEPS = {
  three: { by: 0, until: 3, next: "choose", told: "swap2Three" },
  choose: { by: 1, told: "swap2Choose" },
  two: { by: 1, until: 5, next: "last", told: "swap2Two" },
  last: { by: 0, told: "swap2Last" },
};

/** Begins. `hands` has `play`, which plays a move, `think`, which asks for an analysis, and `goOn`. */
export function beginSwap2(hands) {
  app.swap2 = { ...STEPS.three, step: "three", hands };
}

/** Goes on with the position on the board. */
export function goOnSwap2() {
  const { swap2, state } = app;
  // Until the board is empty, a move of the game before is told.
  swap2.begun ||= state.moves.length === 0;
  if (!swap2.begun) return;
  if (swap2.until && state.ply >= swap2.until) {
    enter(swap2.next);
    return goOnSwap2();
  }
  drawSwap2();
  if (!isEngine(swap2.by)) return;
  if (swap2.until) place();
  else swap2.hands.think(CHOICE_TIME);
}

/** Says what is to be done, and offers a person the choice. */
export function drawSwap2() {
  const { by, told, until } = app.swap2;
  find("note").replaceChildren(text(told));
  if (!until && !isEngine(by)) offer();
}

/** What the engine thinks of the side to move, which is white: it takes what is better. */
export function judgeSwap2(value) {
  if (app.swap2 && !app.swap2.until && isEngine(app.swap2.by)) take(value > 0.5 ? 1 : 0);
}

/** The engine's three stones, turned and mirrored at random; where a small board lacks the point, anywhere. */
function place() {
  const { cols, rows, ply, legal } = app.state;
  const { swap2 } = app;
  swap2.stones ??= turned(OPENINGS[Math.floor(Math.random() * OPENINGS.length)]);
  const [col, row] = swap2.stones[ply];
  const cell = (Math.floor(rows / 2) + row) * cols + Math.floor(cols / 2) + col;
  const [move] = legal.find(([, filled]) => filled === cell) ?? legal[Math.floor(Math.random() * legal.length)];
  swap2.hands.play(move);
}

function turned(stones) {
  const [mirror, swap] = [Math.random() < 0.5 ? -1 : 1, Math.random() < 0.5];
  return stones.map(([col, row]) => (swap ? [row, mirror * col] : [mirror * col, row]));
}

function offer() {
  const choices = [[text("takeBlack"), () => take(0)], [text("takeWhite"), () => take(1)]];
  if (app.swap2.step === "choose") choices.push([text("placeTwo"), placeTwo]);
  find("note").append(...choices.map(([label, onclick]) => element("button", { type: "button", class: "main", onclick }, label)));
}

function enter(step) {
  app.swap2 = { ...app.swap2, until: undefined, ...STEPS[step], step };
}

function placeTwo() {
  enter("two");
  goOnSwap2();
}

/** The player whose turn it is takes a side, and the game goes on. */
function take(side) {
  const { by, hands } = app.swap2;
  if (by !== side) app.players.reverse();
  app.swap2 = null;
  find("note").replaceChildren(text("taken", text(side === 0 ? "black" : "white"), app.players[side] === "you" ? text("you") : text("engine")));
  hands.goOn();
}
