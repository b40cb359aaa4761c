// A board as SVG, a cell one unit wide: what the page of `tengen board` and the page of a report draw
// alike. No rule of any game is in here.

/** An HTML element. Strings among the children become text. */
export function element(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** An SVG element. */
export function shape(name, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

/** The names of the stones of both sides, which are their classes too. */
export const STONES = {
  gomoku: ["black", "white"], reversi: ["black", "white"], connect4: ["red", "yellow"],
};

/** How large the stones are. */
export const RADIUS = { gomoku: 0.46, reversi: 0.42, connect4: 0.4 };

/** The middle of a cell. */
export function centre(board, cell) {
  return [(cell % board.cols) + 0.5, Math.floor(cell / board.cols) + 0.5];
}

/**
 * An empty board with its labels, and a layer `#stones` to draw in. `board` has `game`, `cols`, `rows`,
 * `hole` (a cell), `col_labels` and `row_labels`.
 */
export function emptyBoard(board, attributes) {
  const { cols, rows } = board;
  const left = board.row_labels.length > 0 ? 0.8 : 0.15;
  const svg = shape("svg", {
    viewBox: `${-left} -0.8 ${cols + left + 0.15} ${rows + 0.95}`, ...attributes,
  });
  svg.append(...{ gomoku: goban, reversi: felt, connect4: frame }[board.game](board));
  const labelClass = cols > 9 ? "label" : "label large";
  board.col_labels.forEach((label, col) =>
    svg.append(shape("text", { class: labelClass, x: col + 0.5, y: -0.42, "aria-hidden": "true" }, label)));
  board.row_labels.forEach((label, row) =>
    svg.append(shape("text", { class: labelClass, x: -0.42, y: row + 0.5, "aria-hidden": "true" }, label)));
  svg.append(shape("g", { id: "stones" }));
  return svg;
}

function goban({ cols, rows }) {
  const parts = [shape("rect", { class: "wood", width: cols, height: rows, rx: 0.15 })];
  let path = "";
  for (let col = 0; col < cols; col++) path += `M${col + 0.5} 0.5V${rows - 0.5}`;
  for (let row = 0; row < rows; row++) path += `M0.5 ${row + 0.5}H${cols - 0.5}`;
  parts.push(shape("path", { class: "wood-line", d: path }));
  for (const col of stars(cols)) {
    for (const row of stars(rows)) {
      const corner = (col === (cols - 1) / 2) === (row === (rows - 1) / 2);
      if (!corner && cols < 19) continue;
      parts.push(shape("circle", { class: "star", cx: col + 0.5, cy: row + 0.5, r: 0.1 }));
    }
  }
  return parts;
}

/** Where boards of odd size have their dots: corners and centre, large ones edges too. */
function stars(size) {
  if (size % 2 === 0 || size < 9) return [];
  const edge = size < 13 ? 2 : 3;
  return [edge, (size - 1) / 2, size - 1 - edge];
}

function felt({ cols, rows }) {
  let path = "";
  for (let col = 1; col < cols; col++) path += `M${col} 0V${rows}`;
  for (let row = 1; row < rows; row++) path += `M0 ${row}H${cols}`;
  return [shape("rect", { class: "felt", width: cols, height: rows, rx: 0.15 }),
    shape("path", { class: "felt-line", d: path })];
}

function frame(board) {
  const { cols, rows, hole } = board;
  const parts = [shape("rect", { class: "frame", width: cols, height: rows, rx: 0.2 })];
  for (let cell = 0; cell < cols * rows; cell++) {
    const [x, y] = centre(board, cell);
    parts.push(cell === hole
      ? shape("path", { class: "hole", d: `M${x - 0.25} ${y - 0.25}l0.5 0.5m0 -0.5l-0.5 0.5` })
      : shape("circle", { class: "gap", cx: x, cy: y, r: 0.4 }));
  }
  return parts;
}
