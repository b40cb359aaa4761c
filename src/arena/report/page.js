// Shows the match. All text of the data is put into the page as text, never as markup, since
// names and details come from outside. No rule of any game is in here: a ply says which cells
// it changed, and they are its side's now.

const TABLES = JSON.parse(document.getElementById("tables").textContent);
// One line a game, in the order of the records; a game is parsed when it is looked at.
const LINES = document.getElementById("games").textContent.trim().split("\n");
const GAMES = TABLES.games.map(([place, pairing, number, first, winner, end, plies], index) =>
  ({ index, place, pairing, number, first, winner, end, plies }));

// Games that the list draws at a time.
const CHUNK = 100;
const ENDS = {
  win: "on the board", draw: "on the board", resign: "resigned", time: "too late",
  illegal: "illegal move", crash: "crashed", hang: "no answer", protocol: "bad answer",
  adjudicated: "adjudicated",
};
const COLOURS = ["one", "other"];

const shown = { filtered: [], listed: 0, game: null, record: null, ply: 0, timer: null, flipped: false };

// ---- Elements and numbers

function find(id) {
  return document.getElementById(id);
}

function percent(share) {
  return share === null ? "–" : `${(100 * share).toFixed(1)} %`;
}

/** Points, which are whole or half, and the games that brought them. */
function outOf(points, games) {
  const whole = Math.floor(points);
  const half = points === whole ? "" : "½";
  return `${half && whole === 0 ? "" : whole}${half}/${games}`;
}

function duration(ms) {
  if (ms >= 10000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

// ---- Standings

function drawStandings() {
  const players = TABLES.events.flatMap((event) => event.players.map((it) => it.name));
  // An engine that met itself alone is no player.
  const engines = players.length > 0 ? players : TABLES.pairings.flatMap((it) => it.engines);
  const names = [...new Set(engines)];
  const title = names.length === 2 ? `${names[0]} – ${names[1]}` : `${names.length} engines`;
  document.title = `${title} · Tengen match`;
  find("title").textContent = title;
  const games = `${GAMES.length} game${GAMES.length === 1 ? "" : "s"}`;
  const reach = eloReach();
  find("subtitle").textContent =
    `${games}. Intervals are 95 %. Elo is seen by the engine named first; its bars reach from −${reach} to +${reach}.`;
  find("standings").append(...TABLES.events.map((event, index) => eventBlock(event, index, reach)));
}

/** How far the bars of Elo reach: a round number that all known ends lie within. */
function eloReach() {
  const players = TABLES.events.flatMap((event) => ratedPlayers(event));
  const ends = [...TABLES.pairings, ...players].flatMap((it) => it.elo).filter((elo) => elo !== null);
  return 100 * Math.ceil(Math.max(100, ...ends.map(Math.abs)) / 100);
}

/** The players whose ratings are shown: of two the pairing's Elo says it better. */
function ratedPlayers({ players }) {
  return players.length > 2 ? players : [];
}

function eventBlock(event, index, reach) {
  const pairings = TABLES.pairings.map((pairing, at) => ({ ...pairing, at }));
  const own = pairings.filter((pairing) => pairing.event === index);
  return element("div", { class: "event" },
    element("h2", {}, event.title),
    event.players.length === 0 ? null
      : element("div", { class: "scroll" }, crossTable(event, reach)),
    element("div", { class: "pairings" }, ...own.map((pairing) => pairingRow(pairing, reach))));
}

function crossTable(event, reach) {
  const { players } = event;
  const rated = ratedPlayers(event).length > 0;
  const head = players.map((_, index) => element("th", {}, String(index + 1)));
  const rows = players.map((player, index) => element("tr", {},
    element("td", {}, String(index + 1)),
    element("td", { class: "name" }, player.name),
    rated ? element("td", {}, rating(player.elo)) : null,
    rated ? element("td", { class: "bar-cell" }, eloBar(player.elo, reach)) : null,
    element("td", {}, outOf(player.points, player.games)),
    element("td", {}, percent(player.points / player.games)),
    ...player.cells.map((cell, other) => crossCell(cell, index === other))));
  return element("table", { class: "cross" },
    element("thead", {}, element("tr", {},
      element("th", {}, "#"), element("th", { class: "name" }, "engine"),
      rated ? element("th", { colspan: 2 }, "Elo, mean 0") : null,
      element("th", {}, "points"), element("th", {}, "score"), ...head)),
    element("tbody", {}, ...rows));
}

function rating([elo, , high]) {
  return `${elo < 0 ? "−" : "+"}${Math.abs(elo).toFixed(0)} ± ${(high - elo).toFixed(0)}`;
}

/** Tinted by the score. */
function crossCell(cell, self) {
  if (cell === null) return element("td", { class: self ? "self" : "met" });
  const [won, games] = cell;
  const lean = 2 * (won / games) - 1;
  const colour = lean > 0 ? "var(--one)" : "var(--other)";
  const node = element("td", { class: "met" }, outOf(won, games));
  node.style.background = `color-mix(in srgb, ${colour} ${Math.abs(35 * lean)}%, transparent)`;
  return node;
}

function pairingRow(pairing, reach) {
  const [one, other] = pairing.engines;
  const games = pairing.wins + pairing.draws + pairing.losses;
  const part = (name, count) => {
    const node = element("span", { class: name }, count * 9 >= games ? String(count) : "");
    node.style.flexGrow = count;
    node.style.flexBasis = 0;
    return node;
  };
  const wdl = `${pairing.wins} won, ${pairing.draws} drawn, ${pairing.losses} lost`;
  return element("button",
    { type: "button", "data-pairing": pairing.at, onclick: () => choosePairing(pairing.at) },
    element("span", { class: "names" },
      element("b", { class: "one" }, one), " – ", element("b", { class: "other" }, other)),
    element("span", { class: "wdl", role: "img", title: wdl, "aria-label": wdl },
      part("one", pairing.wins), part("draw", pairing.draws), part("other", pairing.losses)),
    eloBar(pairing.elo, reach),
    element("span", { class: "numbers" },
      `${percent(pairing.score[0])} · Elo ${pairing.elo_text}`));
}

/** The interval as a line and the estimate as a point; an end that is not known is an arrow. */
function eloBar([middle, low, high], reach) {
  const at = (elo) => 100 + (88 * elo) / reach;
  const from = low === null ? 2 : at(low);
  const to = high === null ? 198 : at(high);
  const svg = shape("svg", { viewBox: "0 0 200 22", role: "img", "aria-label": "Elo interval" },
    shape("line", { x1: 2, x2: 198, y1: 11, y2: 11, class: "axis" }),
    shape("line", { x1: 100, x2: 100, y1: 2, y2: 20, class: "strong" }),
    shape("line", { x1: from, x2: to, y1: 11, y2: 11, stroke: "var(--one)", "stroke-width": 4 }));
  const tip = (x, known, sign) => known
    ? shape("line", { x1: x, x2: x, y1: 5, y2: 17, stroke: "var(--one)", "stroke-width": 2 })
    : shape("path", { d: `M${x - 5 * sign} 5L${x} 11L${x - 5 * sign} 17`, fill: "none",
      stroke: "var(--one)", "stroke-width": 2 });
  svg.append(tip(from, low !== null, -1), tip(to, high !== null, 1));
  if (middle !== null) svg.append(shape("circle", { cx: at(middle), cy: 11, r: 5, fill: "var(--one)" }));
  return svg;
}

// ---- One pairing

function choosePairing(index) {
  find("filter-pairing").value = String(index);
  pairingChanged();
}

/** Draws the pairing of the open game. */
function drawPairing(index) {
  for (const button of document.querySelectorAll("[data-pairing]")) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.pairing) === index));
  }
  const pairing = TABLES.pairings[index];
  const place = find("pairing");
  const [one, other] = pairing.engines;
  const row = (engine, times) => element("tr", {},
    element("td", { class: `name ${COLOURS[engine]}` }, pairing.engines[engine]),
    element("td", {}, times ? duration(times[0]) : "–"),
    element("td", {}, times ? duration(times[1]) : "–"),
    element("td", {}, String(pairing.fault_counts[engine])));
  place.replaceChildren(
    element("h2", {}, element("span", { class: "one" }, one), " – ",
      element("span", { class: "other" }, other)),
    element("figure", {},
      element("figcaption", { class: "quiet" }, `Score of ${one} after so many games`),
      progressChart(pairing.progress)),
    element("div", {},
      element("table", {}, element("thead", {}, element("tr", {},
        element("th", { class: "name" }, "engine"), element("th", {}, "mean move"),
        element("th", {}, "longest"), element("th", {}, "faults"))),
      element("tbody", {}, ...pairing.times.map((times, engine) => row(engine, times)))),
      element("ul", { class: "faults" }, ...pairing.faults.map((it) => element("li", {}, it)))));
}

function progressChart(steps) {
  const [left, right, top, bottom] = [42, 470, 8, 132];
  const most = Math.max(2, ...steps.map((step) => step[0]));
  const x = (games) => left + ((right - left) * games) / most;
  const y = (score) => bottom - (bottom - top) * score;
  const svg = shape("svg", { viewBox: "0 0 480 150", role: "img", "aria-label": "Score over time" });
  for (const score of [0, 0.5, 1]) {
    svg.append(
      shape("line", { x1: left, x2: right, y1: y(score), y2: y(score),
        class: score === 0.5 ? "strong" : "axis" }),
      shape("text", { x: left - 4, y: y(score) + 4, "text-anchor": "end", "font-size": 11 },
        `${100 * score} %`));
  }
  svg.append(
    shape("text", { x: left, y: 147, "font-size": 11 }, "0"),
    shape("text", { x: right, y: 147, "font-size": 11, "text-anchor": "end" }, `${most} games`));
  if (steps.length > 0) {
    const line = (column) => steps.map((step) => `${x(step[0])},${y(step[column])}`);
    svg.append(
      shape("polygon", { class: "band", points: [...line(3), ...line(2).reverse()].join(" ") }),
      shape("polyline", { points: line(1).join(" "), fill: "none", stroke: "var(--one)",
        "stroke-width": 2 }));
    const last = steps[steps.length - 1];
    svg.append(shape("circle", { cx: x(last[0]), cy: y(last[1]), r: 3.5, fill: "var(--one)" }));
  }
  return svg;
}

// ---- The list of games

function option(value, text) {
  return element("option", { value }, text);
}

function drawFilters() {
  const pairings = TABLES.pairings.map((pairing, index) => option(index,
    `${pairing.engines.join(" – ")}, ${TABLES.events[pairing.event].title}`));
  find("filter-pairing").append(option("", "all"), ...pairings);
  const ends = [...new Set(GAMES.map((game) => game.end))].sort();
  find("filter-end").append(option("", "any"), ...ends.map((end) => option(end, endText(end))));
  find("filter-pairing").addEventListener("change", pairingChanged);
  find("filter-result").addEventListener("change", filterChanged);
  find("filter-end").addEventListener("change", filterChanged);
}

function endText(end) {
  return { win: "won on the board", draw: "drawn on the board" }[end] || ENDS[end];
}

/** Offers the results that the chosen pairings can have. */
function offerResults() {
  const chosen = find("filter-pairing").value;
  const pairings = chosen === "" ? TABLES.pairings : [TABLES.pairings[chosen]];
  const names = [...new Set(pairings.flatMap((pairing) => pairing.engines))];
  find("filter-result").replaceChildren(option("", "any"), option("draw", "drawn"),
    ...names.map((name) => option(`won ${name}`, `${name} won`)));
}

function pairingChanged() {
  offerResults();
  filterChanged();
}

function winnerName(game) {
  return game.winner === null ? null : TABLES.pairings[game.pairing].engines[game.winner];
}

function filterGames() {
  const pairing = find("filter-pairing").value;
  const result = find("filter-result").value;
  const end = find("filter-end").value;
  const fits = (game) => {
    const outcome = game.winner === null ? "draw" : `won ${winnerName(game)}`;
    return (pairing === "" || game.pairing === Number(pairing))
      && (result === "" || result === outcome) && (end === "" || game.end === end);
  };
  shown.filtered = GAMES.filter(fits);
  shown.listed = 0;
  find("list").replaceChildren();
  find("list-count").textContent = `${shown.filtered.length} of ${GAMES.length} games`;
  listMore();
}

function filterChanged() {
  filterGames();
  if (shown.filtered.length > 0 && !shown.filtered.includes(shown.game)) {
    openGame(shown.filtered[0]);
  }
  markListed();
}

function listMore() {
  const list = find("list");
  list.querySelector(".more")?.remove();
  const next = shown.filtered.slice(shown.listed, shown.listed + CHUNK);
  shown.listed += next.length;
  list.append(...next.map(listRow));
  const left = shown.filtered.length - shown.listed;
  if (left > 0) {
    list.append(element("button", { type: "button", class: "more", onclick: () => { listMore(); markListed(); } },
      `Show more (${left} left)`));
  }
}

function listRow(game) {
  const engines = TABLES.pairings[game.pairing].engines;
  const first = game.first;
  const result = game.winner === null ? element("span", {}, "drawn")
    : element("b", { class: COLOURS[game.winner] }, `${engines[game.winner]} won`);
  return element("button", { type: "button", "data-game": game.index, onclick: () => openGame(game) },
    element("span", {}, `${game.index + 1}. `),
    element("span", { class: COLOURS[first] }, engines[first]), " – ",
    element("span", { class: COLOURS[1 - first] }, engines[1 - first]),
    element("br"), result,
    element("span", { class: "quiet" }, `, ${ENDS[game.end]}, ${game.plies} plies`));
}

/** Marks the open game in the list, and scrolls the list, not the page, to it. */
function markListed() {
  const list = find("list");
  while (shown.listed <= shown.filtered.indexOf(shown.game)) listMore();
  for (const row of list.querySelectorAll("[aria-current]")) row.removeAttribute("aria-current");
  const row = shown.game && list.querySelector(`[data-game="${shown.game.index}"]`);
  if (row) {
    row.setAttribute("aria-current", "true");
    scrollInto(list, row);
  }
}

function scrollInto(box, row) {
  const inside = row.getBoundingClientRect();
  const around = box.getBoundingClientRect();
  if (inside.top < around.top + 30) box.scrollTop -= around.top + 30 - inside.top;
  else if (inside.bottom > around.bottom) box.scrollTop += inside.bottom - around.bottom;
}

// ---- The beginning

drawStandings();
drawFilters();
clearFilters();
if (!openFragment()) openGame(GAMES[0]);
for (const button of document.querySelectorAll("[data-step]")) {
  button.addEventListener("click", () => STEPS[button.dataset.step]());
}
find("slider").addEventListener("input", (event) => stepTo(Number(event.target.value)));
document.addEventListener("keydown", onKey);
window.addEventListener("hashchange", openFragment);
