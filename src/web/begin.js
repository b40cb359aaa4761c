// How games begin: chosen in the dialogue, set up stone by stone, or loaded.

import { usualSize } from "./address.js";
import { element } from "./board.js";
import { drawBoard, focusCell } from "./drawing.js";
import { app, ask, find, sideName } from "./state.js";
import { beginSwap2 } from "./swap2.js";
import { text } from "./texts.js";

/** Leaves what was being done on the board, for a game that is looked at first. */
export function leave() {
  app.paused = true;
  app.settingUp = null;
  app.swap2 = null;
  find("note").replaceChildren();
}

// ---- The dialogue

/** Opens the dialogue with the terms of the game on the board. */
export function openNew() {
  const form = find("new-form");
  const { game, cols, rows, rule, connect, hole, steal } = app.state;
  form.game.value = game;
  form.size.value = `${cols}x${rows}`;
  if (game === "gomoku") form.rule.value = rule;
  if (game === "connect4") {
    form.connect.value = connect;
    form.hole.value = hole === undefined ? "" : pointText(hole, cols);
    form.steal.checked = steal;
  }
  showTerms(form);
  find("new-dialog").showModal();
}

/** Shows the terms that the chosen game has. Those of others may hold what is no value. */
function showTerms(form) {
  const game = form.game.value;
  for (const node of form.querySelectorAll("[class*=of-]")) {
    node.hidden = !node.classList.contains(`of-${game}`);
    node.querySelector("input, select").disabled = node.hidden;
  }
}

function pointText(cell, cols) {
  return `${cell % cols},${Math.floor(cell / cols)}`;
}

/** Another game is chosen in the dialogue. */
export function gameChosen() {
  const form = find("new-form");
  form.size.value = usualSize(form.game.value);
  showTerms(form);
}

/** Begins the game that was chosen, `how` being the button; `hands` are those of an opening by Swap2. */
export function newChosen(how, hands) {
  const form = find("new-form");
  if (how === "cancel") return;
  const game = form.game.value;
  const line = { do: "new", game };
  if (game !== "reversi" && form.size.value) line.size = form.size.value;
  if (game === "gomoku") line.rule = form.rule.value;
  if (game === "connect4") {
    line.connect = Number(form.connect.value);
    line.steal = form.steal.checked;
    if (form.hole.value) line.hole = form.hole.value;
  }
  app.paused = false;
  app.settingUp = how === "set-up" ? { line, ended: false } : null;
  app.swap2 = null;
  if (game === "gomoku" && how === "start" && form.swap2.checked) beginSwap2(hands);
  app.beginning = true;
  ask(null, line);
}

// ---- Setting up a position

/** Puts the next stone on a cell: the first side's, the second's, none. In Connect Four it falls. */
export function changeStone(cell) {
  const { game, cols, hole } = app.state;
  const stones = [...app.state.stones];
  const column = stones.map((_, at) => at).filter((at) => at % cols === cell % cols && at !== hole);
  const at = game === "connect4" && stones[cell] === "." ? column.findLast((it) => stones[it] === ".") : cell;
  if (at === undefined || at === hole) return;
  stones[at] = { ".": "X", X: "O", O: "." }[stones[at]];
  // Nothing is left in the air.
  if (game === "connect4" && stones[at] === ".") for (const above of column) if (above < at) stones[above] = ".";
  app.state.stones = stones.join("");
  app.state.last = [];
  drawBoard();
  focusCell(at);
  drawSetUp();
}

/** Offers to end it, with either side to move. */
export function drawSetUp() {
  const done = [0, 1].map((side) => element("button", { type: "button", class: "main", onclick: () => endSetUp(side) },
    `${text("done")}: ${text("toMove", sideName(side))}`));
  find("note").replaceChildren(...done);
}

function endSetUp(side) {
  const { line } = app.settingUp;
  app.settingUp.ended = true;
  ask(null, { ...line, stones: app.state.stones, to_move: side });
}

/** A state has come: that of the empty board, or of the position that was set up. */
export function goOnSetUp() {
  if (!app.settingUp.ended) return drawSetUp();
  app.settingUp = null;
  find("note").replaceChildren();
}

/** The engine refuses the board, or what was set up on it: back to the game that it has. */
export function refuseSetUp() {
  app.settingUp = null;
  ask(null, { do: "state" });
}

// ---- Loading

/**
 * Loads a game from a file's text, a record of `tengen match`, or moves of the game on the board.
 * Throws where a record is none.
 */
export function load(content) {
  leave();
  find("share-error").textContent = "";
  if (content.trimStart().startsWith("{")) loadRecord(content);
  else if (/^\s*(\[|Piskv)|\(\s*;/.test(content)) ask(null, { do: "load", text: content });
  else ask(null, { ...begun(app.state), moves: content.trim() });
}

/** The first game of the records of a match. */
function loadRecord(content) {
  const record = JSON.parse(content.trim().split("\n")[0]);
  const moves = [...record.opening, ...record.moves.map(({ move }) => move)];
  ask(null, { do: "new", game: record.setup ?? oldSetup(record), moves: moves.join(" ") });
}

/** What was agreed on, as records tell it today, from a record that has a key for each term. */
function oldSetup({ game, cols, rows, rule, connect, hole, steal }) {
  const terms = [game, `${cols}x${rows}`];
  if (game === "gomoku") terms.push(`rule=${rule}`);
  if (game === "connect4") terms.push(`connect=${connect}`, `steal=${steal ?? false}`, `hole=${hole ?? "none"}`);
  return terms.join(" ");
}

/** The line that begins a game of these terms. */
function begun({ game, cols, rows, rule, connect, hole, steal, start }) {
  const line = { do: "new", game, size: `${cols}x${rows}` };
  if (game === "gomoku") line.rule = rule;
  if (game === "connect4") Object.assign(line, { connect, steal });
  if (hole !== undefined) line.hole = pointText(hole, cols);
  if (start) Object.assign(line, { stones: start[0], to_move: start[1] });
  return line;
}
