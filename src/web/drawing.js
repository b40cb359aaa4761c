// The board of the game as it stands, with everything that is drawn upon it.

import { RADIUS, STONES, centre, emptyBoard, shape } from "./board.js";
import { exactText } from "./panels.js";
import { app, cellLabel, find, hintAt, known, labelled, mayPlay, moveAt } from "./state.js";
import { text } from "./texts.js";

/** What a click and a key on a cell do. */
export const hands = { click: () => {}, key: () => {} };

/** Plies of a line that are drawn, where it is not proven: more would hide the stones. */
const EXPECTED_PLIES = 8;

export function drawBoard() {
  const { state } = app;
  const board = labelled(state);
  const svg = emptyBoard(board, { role: "grid", "aria-label": `${text(state.game)} ${text("board")}`, "aria-rowcount": state.rows, "aria-colcount": state.cols });
  svg.querySelector("#stones").replaceChildren(...stones());
  const marks = shape("g", { id: "marks", "aria-hidden": "true" });
  svg.append(marks, cells());
  const focused = document.activeElement?.matches(".cell");
  find("board").replaceChildren(svg);
  if (focused) focusCell(app.cursor);
  drawMarks();
}

function stones() {
  const { stones, game, last, row, cols } = app.state;
  const radius = RADIUS[game];
  const drawn = [];
  [...stones].forEach((stone, cell) => {
    if (stone === ".") return;
    const side = stone === "X" ? 0 : 1;
    const [cx, cy] = centre(app.state, cell);
    const node = shape("circle", { class: STONES[game][side], cx, cy, r: radius });
    const group = shape("g", {}, node);
    // Yellow has a ring, so that no colour alone tells the sides apart.
    if (game === "connect4" && side === 1) group.append(shape("circle", { class: "inner", cx, cy, r: radius * 0.55 }));
    if (last[0] === cell && game === "connect4") {
      group.classList.add("drop");
      group.style.setProperty("--from", `-${Math.floor(cell / cols) + 1}px`);
    } else if (last.includes(cell) && last[0] !== cell) {
      group.classList.add("turn");
    }
    drawn.push(group);
  });
  last.forEach((cell, index) => {
    const [cx, cy] = centre(app.state, cell);
    drawn.push(shape("circle", { class: index === 0 ? "last" : "turned", cx, cy, r: radius * 0.62 }));
  });
  for (const cell of row) {
    const [cx, cy] = centre(app.state, cell);
    drawn.push(shape("circle", { class: "row", cx, cy, r: radius }));
  }
  return drawn;
}

/** The grid of cells that the keys walk on, over everything else. */
function cells() {
  const { cols, rows } = app.state;
  const grid = shape("g", { role: "rowgroup" });
  for (let row = 0; row < rows; row++) {
    const line = shape("g", { role: "row" });
    for (let col = 0; col < cols; col++) {
      const cell = row * cols + col;
      line.append(shape("g", {
        class: "cell", role: "gridcell", tabindex: cell === app.cursor ? 0 : -1, "data-cell": cell, "aria-label": cellLabel(cell),
        onclick: () => hands.click(cell), onkeydown: (event) => hands.key(event, cell), onfocus: () => { app.cursor = cell; drawGhost(cell); },
        onpointerenter: () => drawGhost(cell), onpointerleave: () => drawGhost(null),
      }, shape("rect", { class: "halo", x: col + 0.06, y: row + 0.06, width: 0.88, height: 0.88 }),
      shape("rect", { x: col + 0.06, y: row + 0.06, width: 0.88, height: 0.88 })));
    }
    grid.append(line);
  }
  return grid;
}

/** Legal points, forbidden points, hints and exact scores. */
export function drawMarks() {
  const { legal, forbidden, game, outcome, cols } = app.state;
  const marks = [];
  if (!outcome && game !== "gomoku" && !app.hints && !app.settingUp) {
    for (const [, cell] of legal) {
      if (cell === null || app.state.stones[cell] !== ".") continue;
      const [cx, cy] = centre(app.state, cell);
      marks.push(shape("circle", { class: `dot ${game}`, cx, cy, r: 0.11 }));
    }
  }
  for (const cell of forbidden) {
    const [x, y] = centre(app.state, cell);
    marks.push(shape("path", { class: "barred", d: `M${x - 0.2} ${y - 0.2}l0.4 0.4m0 -0.4l-0.4 0.4` }));
  }
  if (app.hints && app.found && !outcome) marks.push(...(provenLine() ?? hintMarks()));
  if (app.hints) marks.push(...threatMarks());
  const scored = app.hints && app.exact !== null && game === "connect4";
  find("board").classList.toggle("scored", scored);
  if (scored) {
    for (const { cell, score } of app.exact.moves) {
      marks.push(shape("text", { class: "exact", x: (cell % cols) + 0.5, y: -0.2 }, exactText(score)));
    }
  }
  find("marks").replaceChildren(...marks, shape("g", { id: "ghost" }));
  drawGhost(app.pointed);
}

function hintMarks() {
  const { game } = app.state;
  const radius = RADIUS[game];
  const moves = known().moves.filter((move) => move.cell !== undefined);
  const most = Math.max(1, ...moves.map((move) => move.visits));
  return moves.flatMap((move, index) => {
    const [cx, cy] = centre(app.state, move.cell);
    const label = move.score === undefined ? String(Math.round(100 * move.value)) : exactText(move.score);
    return [
      shape("circle", { class: "shade", cx, cy, r: radius * 0.9, opacity: 0.8 + (0.2 * move.visits) / most }),
      index === 0 ? shape("circle", { class: "best", cx, cy, r: radius }) : null,
      shape("text", { class: label.length > 2 ? "shade-text long" : "shade-text", x: cx, y: cy + 0.02 }, label),
    ].filter((node) => node);
  });
}

/** A win in Gomoku that is proven, as numbered stones. */
function provenLine() {
  const { state: { game }, found: { proof, moves: [best] } } = app;
  if (game !== "gomoku" || proof?.[0] !== "win" || !(best?.pv.length > 2)) return null;
  const [cx, cy] = centre(app.state, best.cell);
  return [...lineShapes(best.pv), shape("circle", { class: "best", cx, cy, r: RADIUS[game] })];
}

/** Where a side would make a five or an open four, in a corner of the cell: other marks have the middle. */
function threatMarks() {
  return (app.state.threats ?? []).flatMap(([cell, side, count]) => {
    const [x, y] = centre(app.state, cell);
    const [cx, cy] = [x + (side === 0 ? -0.3 : 0.3), y - 0.3];
    const name = STONES[app.state.game][side];
    return [shape("circle", { class: `${name} threat-${count}`, cx, cy, r: 0.19 }),
      shape("text", { class: `number small on-${name}`, x: cx, y: cy + 0.01 }, String(count))];
  });
}

/** The stone that would stand there, or what the engine expects after it. */
export function drawGhost(cell) {
  app.pointed = cell;
  const layer = document.getElementById("ghost");
  if (!layer) return;
  layer.replaceChildren();
  const at = cell ?? app.chosen;
  const move = at === null || at === undefined ? null : moveAt(at);
  if (app.settingUp || !move || move[1] === null || !mayPlay()) return;
  const hint = cell === null ? null : hintAt(move[1]);
  if (hint) return showLine(hint);
  const [cx, cy] = centre(app.state, move[1]);
  const name = STONES[app.state.game][app.state.to_move];
  layer.append(shape("circle", { class: `${name} ghost ${at === app.chosen ? "chosen" : ""}`, cx, cy, r: RADIUS[app.state.game] }));
}

/** The line after a move as numbered stones: all of a proof, the beginning of what is only expected. */
export function showLine(move) {
  const layer = document.getElementById("ghost");
  if (!layer) return;
  const line = app.found?.proof ? move.pv : move.pv.slice(0, EXPECTED_PLIES);
  layer.replaceChildren(...lineShapes(line), ...lineFacts(move));
}

function lineShapes(line) {
  return line.flatMap(([, cell], index) => {
    if (cell === null) return [];
    const name = STONES[app.state.game][(app.state.to_move + index) % 2];
    const [cx, cy] = centre(app.state, cell);
    return [shape("circle", { class: `${name}`, cx, cy, r: RADIUS[app.state.game], opacity: 0.85 }),
      shape("text", { class: `number on-${name}`, x: cx, y: cy + 0.02 }, String(index + 1))];
  });
}

/** The win rate of a move, under its first stone. */
function lineFacts({ pv: [[, cell]], value }) {
  if (cell === null) return [];
  const [x, y] = centre(app.state, cell);
  return [shape("rect", { class: "tag", x: x - 0.5, y: y + 0.32, width: 1, height: 0.36, rx: 0.08 }),
    shape("text", { class: "tag-text", x, y: y + 0.51 }, `${(100 * value).toFixed(1)} %`)];
}

export function focusCell(cell) {
  document.querySelector(`.cell[tabindex="0"]`)?.setAttribute("tabindex", "-1");
  const node = document.querySelector(`.cell[data-cell="${cell}"]`);
  node?.setAttribute("tabindex", "0");
  node?.focus();
}
