// What stands beside the board: thoughts, the graph, the list of moves, the review.

import { element, shape } from "./board.js";
import { text } from "./texts.js";

function percent(value) {
  return `${(100 * value).toFixed(1)} %`;
}

const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

function compact(number) {
  return COMPACT.format(number);
}

/** An exact score with a sign for who wins, so that no colour has to tell it. */
export function exactText(score) {
  return score === 0 ? "=" : score > 0 ? `+${score}` : `−${-score}`;
}

/** `win 5` in words, for the side that the proof is of. */
function proofText([result, plies], name) {
  if (result === "draw") return text("proofDraw");
  return text(result === "win" ? "proofWin" : "proofLoss", name, plies);
}

/** What the engine found: the table of moves, whose rows show their lines on the board. */
export function thoughts(found, name, { showLine, hideLine }) {
  if (!found) return [];
  const facts = [text("value", name, percent(found.value))];
  if (found.proof) facts.push(proofText(found.proof, name));
  const exact = found.moves.some((move) => move.score !== undefined);
  const rows = found.moves.slice(0, 8).map((move, index) => element("tr", {},
    element("td", { class: "name" }, element("button", {
      type: "button", onmouseenter: () => showLine(move), onmouseleave: hideLine, onfocus: () => showLine(move), onblur: hideLine,
      "data-line": String(index),
    }, move.move)),
    exact ? element("td", {}, move.score === undefined ? "" : exactText(move.score)) : null,
    element("td", {}, percent(move.value)),
    element("td", {}, compact(move.visits)),
    element("td", { class: "line" }, move.pv.slice(1, 7).map(([word]) => word).join(" "))));
  const head = ["move", exact ? "score" : null, "rate", "visits", "line"].filter((name) => name);
  return [
    element("p", {}, facts.join(" · ")),
    found.playouts > 0
      ? element("p", { class: "quiet" }, text("speed", compact(found.playouts), compact(found.speed), found.depth)) : null,
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": text("candidates") }, element("table", {},
      element("thead", {}, element("tr", {}, ...head.map((name) =>
        element("th", { class: name === "move" || name === "line" ? "name" : "", scope: "col" }, text(name))))),
      element("tbody", {}, ...rows))),
  ].filter((node) => node);
}

/** The win rate of the first side by ply, and where mistakes were made. */
export function graph(values, plies, ply, faults, name, jump) {
  const [width, height, left] = [360, 110, 44];
  const x = (at) => left + ((width - left - 8) * at) / Math.max(1, plies);
  const y = (value) => 8 + (height - 16) * (1 - value);
  const known = values.map((value, at) => [at, value]).filter(([, value]) => value !== undefined && value !== null);
  const svg = shape("svg", {
    viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${text("graph")}: ${name}`,
    onclick: (event) => {
      const box = event.currentTarget.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * width;
      jump(Math.max(0, Math.min(plies, Math.round(((at - left) / (width - left - 8)) * Math.max(1, plies)))));
    },
  });
  for (const [value, label] of [[1, "100 %"], [0.5, "50 %"], [0, "0 %"]]) {
    svg.append(shape("line", { x1: left, x2: width - 8, y1: y(value), y2: y(value), class: value === 0.5 ? "half" : "axis" }),
      shape("text", { x: left - 4, y: y(value) + 4, "text-anchor": "end" }, label));
  }
  svg.append(shape("polyline", { class: "curve", points: known.map(([at, value]) => `${x(at)},${y(value)}`).join(" ") }));
  for (const [at, value] of known) svg.append(shape("circle", { cx: x(at), cy: y(value), r: 2.2, fill: "var(--one)" }));
  for (const at of faults) {
    const value = values[at] ?? 0.5;
    svg.append(shape("path", { class: "fault", d: `M${x(at)} ${y(value) - 6}l5 9h-10z` }));
  }
  svg.append(shape("line", { class: "cursor", x1: x(ply), x2: x(ply), y1: 4, y2: height - 4 }));
  return [element("h2", {}, `${text("graph")}: ${name}`), svg];
}

/** The moves of the game as buttons that go there. */
export function moveList(moves, ply, jump) {
  const items = moves.map((move, index) => {
    const button = element("button", { type: "button", onclick: () => jump(index + 1) }, `${index + 1}. ${move}`);
    if (index + 1 === ply) button.setAttribute("aria-current", "true");
    return element("li", {}, button);
  });
  return items.length === 0 ? [] : [element("h2", {}, text("moveList")),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": text("moveList") }, element("ol", {}, ...items))];
}

/** What a review found. */
export function reviewed(review, names, jump) {
  const kept = review.accuracy.map((value, side) => value === null ? null : text("accuracy", names[side], percent(value)));
  const faults = review.plies.map((ply, index) => ({ ...ply, at: index })).filter((ply) => ply.kind);
  const items = faults.map((ply) => element("li", {}, element("button", { type: "button", onclick: () => jump(ply.at) },
    text("insteadOf", ply.at + 1, names[ply.side], ply.move, text(ply.kind), percent(ply.loss),
      ply.best.slice(0, 5).map(([word]) => word).join(" ")))));
  return [element("h2", {}, text("mistakes")), element("p", {}, kept.filter((it) => it).join(" · ")),
    items.length === 0 ? element("p", {}, text("noMistakes")) : element("ul", {}, ...items)];
}
