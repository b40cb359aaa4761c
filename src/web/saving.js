// Files that the page hands out.

import { RADIUS, STONES, centre, element, shape } from "./board.js";

export function save(name, blob) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

/** The shapes of the board by themselves, with the colours that they have now. */
function standalone(shown) {
  const copy = shown.cloneNode(true);
  copy.querySelector("[role=rowgroup]").remove();
  const from = shown.querySelectorAll("circle, path, rect, line, text");
  const names = ["fill", "stroke", "stroke-width", "opacity", "font-size", "font-weight", "text-anchor", "dominant-baseline"];
  copy.querySelectorAll("circle, path, rect, line, text").forEach((node, index) => {
    const style = getComputedStyle(from[index]);
    for (const name of names) node.setAttribute(name, style.getPropertyValue(name));
  });
  const [, , width, height] = copy.getAttribute("viewBox").split(" ").map(Number);
  const scale = Math.round(900 / Math.max(width, height));
  copy.setAttribute("width", width * scale);
  copy.setAttribute("height", height * scale);
  copy.setAttribute("font-family", "sans-serif");
  return copy;
}

function written(svg) {
  return new XMLSerializer().serializeToString(svg);
}

/** The board as a picture. */
export async function picture(shown) {
  const copy = standalone(shown);
  const [width, height] = ["width", "height"].map((name) => Number(copy.getAttribute(name)));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(written(copy))}`;
  await image.decode();
  const canvas = element("canvas", { width, height });
  const context = canvas.getContext("2d");
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0);
  canvas.toBlob((blob) => save("tengen.png", blob));
}

/** Seconds that a position is shown, and the last one. */
const BEAT = 0.8;
const LAST_BEAT = 4;

/**
 * The game as a picture that moves: an SVG in which every stone is there from the ply that put it down to the
 * one that turned it over. `frames` are the stones after each ply, as states tell them.
 */
export function film(shown, board, frames) {
  const copy = standalone(shown);
  const all = (frames.length - 1) * BEAT + LAST_BEAT;
  // Every other time is counted from this, which begins again and again.
  const beat = shape("animate", { id: "film", attributeName: "visibility", dur: `${all}s`, begin: "0s;film.end" });
  const layer = copy.querySelector("#stones");
  layer.replaceChildren(beat);
  copy.querySelector("#marks")?.remove();
  for (let cell = 0; cell < board.cols * board.rows; cell++) {
    for (const [stone, from, to] of spans(frames.map((stones) => stones[cell]))) layer.append(stoneFor(board, cell, stone, from, to));
  }
  const style = element("style", {});
  style.textContent = looks(shown, board);
  copy.prepend(style);
  save("tengen.svg", new Blob([written(copy)], { type: "image/svg+xml" }));
}

/** From which ply to which a cell has which stone. */
function spans(stones) {
  const found = [];
  stones.forEach((stone, ply) => {
    if (stone === ".") return;
    if (ply > 0 && stones[ply - 1] === stone) found.at(-1)[2] = ply + 1;
    else found.push([stone, ply, ply + 1]);
  });
  return found.map(([stone, from, to]) => [stone, from, to < stones.length ? to : null]);
}

function stoneFor(board, cell, stone, from, to) {
  const [cx, cy] = centre(board, cell);
  const side = stone === "X" ? 0 : 1;
  const times = { begin: `film.begin+${(from * BEAT).toFixed(1)}s` };
  times.end = to === null ? "film.end" : `film.begin+${(to * BEAT).toFixed(1)}s`;
  const there = shape("set", { attributeName: "visibility", to: "visible", ...times });
  return shape("circle", { class: STONES[board.game][side], cx, cy, r: RADIUS[board.game], visibility: "hidden" }, there);
}

/** The colours of both stones, as they are now. */
function looks(shown, board) {
  const rules = STONES[board.game].map((name) => {
    const probe = shape("circle", { class: name });
    shown.append(probe);
    const { fill, stroke, strokeWidth } = getComputedStyle(probe);
    const rule = `.${name} { fill: ${fill}; stroke: ${stroke}; stroke-width: ${strokeWidth}; }`;
    probe.remove();
    return rule;
  });
  return rules.join("\n");
}
