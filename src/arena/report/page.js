// Shows the match. All text of the data is put into the page as text, never as markup, since
// names and details come from outside. No rule of any game is in here: a ply says which cells
// it changed, and they are its side's now.

const TABLES = JSON.parse(document.getElementById("tables").textContent);
// One line a game, in the order of the records; a game is parsed when it is looked at.
const LINES = document.getElementById("games").textContent.trim().split("\n");
const GAMES = TABLES.games.map(([place, pairing, number, first, winner, end, plies], index) =>
  ({ index, place, pairing, number, first, winner, end, plies }));

// A change of the chances that is marked: a fifth of all.
const DROP = 0.2;
// The drops that are marked in the chart.
const MARKED = 5;
// Milliseconds between two plies that step by themselves.
const BEAT = 700;
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
  const names = [...new Set(TABLES.events.flatMap((event) => event.players.map((it) => it.name)))];
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

// ---- One game

/** Opens a game at a ply, or where its opening ends. */
function openGame(game, ply) {
  if (game.pairing !== shown.game?.pairing) drawPairing(game.pairing);
  shown.game = game;
  shown.record = JSON.parse(LINES[game.place]);
  const { plies } = shown.record;
  shown.ply = Math.max(0, Math.min(plies.length, ply ?? decisivePly()));
  find("slider").max = plies.length;
  find("candidates").replaceChildren();
  find("candidates").style.minHeight = "";
  drawHead();
  drawBoard();
  drawCharts();
  drawMoves();
  markListed();
  drawPly();
}

/** The chances of the first engine of the pairing after each ply that an engine judged. */
function chances() {
  return shown.record.plies.flatMap((ply, index) => ply.value === undefined ? []
    : [{ at: index + 1, chance: engineOf(ply.side) === 0 ? ply.value : 1 - ply.value }]);
}

/** The plies at which the chances changed most, the greatest change first. */
function drops() {
  const known = chances();
  const changes = known.slice(1).map(({ at, chance }, index) => ({ at, by: Math.abs(chance - known[index].chance) }));
  return changes.filter(({ by }) => by >= DROP).sort((one, other) => other.by - one.by).map(({ at }) => at);
}

/** Where the chances changed most; without any, the end of the opening. */
function decisivePly() {
  return drops()[0] ?? shown.record.opening;
}

/** The engine, 0 or 1 of the pairing, that a side is played by. */
function engineOf(side) {
  return (shown.game.first + side) % 2;
}

function engineName(engine) {
  return TABLES.pairings[shown.game.pairing].engines[engine];
}

function eventOf(game) {
  return TABLES.events[TABLES.pairings[game.pairing].event];
}

function drawHead() {
  const { game, record } = shown;
  const [first, second] = STONES[eventOf(game).board.game];
  const side = (index, stone) => element("span", { class: COLOURS[engineOf(index)] },
    `${engineName(engineOf(index))} (${stone})`);
  find("game-title").replaceChildren(`Game ${game.index + 1}: `, side(0, first), " – ", side(1, second));
  const result = game.winner === null ? "Drawn" : `${winnerName(game)} won`;
  const how = game.winner !== null && ENDS[game.end] !== ENDS.win
    ? `: ${engineName(1 - game.winner)} ${reason(game.end)}` : ` ${ENDS.win}`;
  const detail = record.detail ? ` (${record.detail})` : "";
  const score = record.margin !== undefined && Math.abs(record.margin) > 1
    ? ` by ${Math.abs(record.margin)}` : "";
  find("game-result").replaceChildren(
    element("b", {}, `${result}${score}${how}`), detail,
    element("span", { class: "quiet" }, ` · ${eventOf(game).title} · seed ${record.seed}`));
}

function reason(end) {
  return {
    resign: "resigned", time: "was too late", illegal: "made an illegal move", crash: "crashed",
    hang: "did not answer", protocol: "gave a bad answer", adjudicated: "expected to lose",
  }[end];
}

/** The side that owns each cell after so many plies, and each cell's ply, from 1. */
function stonesAfter(count) {
  const { cols, rows, start } = eventOf(shown.game).board;
  const owner = new Array(cols * rows).fill(null);
  const placed = new Array(cols * rows).fill(null);
  start.forEach((cells, side) => cells.forEach((cell) => { owner[cell] = side; }));
  shown.record.plies.slice(0, count).forEach((ply, index) => {
    for (const cell of ply.cells) {
      if (owner[cell] === null) placed[cell] = index + 1;
      owner[cell] = ply.side;
    }
  });
  return { owner, placed };
}

// ---- The board, a cell one unit wide

/** The middle of a cell of the open game's board. */
function middle(cell) {
  return centre(eventOf(shown.game).board, cell);
}

function drawBoard() {
  const { board } = eventOf(shown.game);
  const svg = emptyBoard(board, { role: "img", "aria-label": `${board.game} board` });
  find("board").replaceChildren(svg);
  // Where stones fall there is one way up.
  find("flip").hidden = board.game === "connect4";
  flip(shown.flipped && board.game !== "connect4");
}

/** Shows the board from the other side. */
function flip(on) {
  find("board").classList.toggle("flipped", on);
  find("flip").setAttribute("aria-pressed", String(on));
}

function drawStones() {
  const { board } = eventOf(shown.game);
  const { owner, placed } = stonesAfter(shown.ply);
  const names = STONES[board.game];
  const radius = RADIUS[board.game];
  const layer = find("stones");
  layer.replaceChildren();
  owner.forEach((side, cell) => {
    if (side === null) return;
    const [cx, cy] = middle(cell);
    layer.append(shape("circle", { class: names[side], cx, cy, r: radius }));
    if (board.game === "gomoku") {
      layer.append(shape("text", { class: `number on-${names[side]}`, x: cx, y: cy + 0.02 },
        String(placed[cell])));
    }
  });
  if (shown.ply === shown.record.plies.length) {
    for (const cell of shown.record.row ?? []) {
      const [cx, cy] = middle(cell);
      layer.append(shape("circle", { class: "won", cx, cy, r: radius }));
    }
  }
  drawTop(layer, radius);
  const last = shown.record.plies[shown.ply - 1];
  (last ? last.cells : []).forEach((cell, index) => {
    const [cx, cy] = middle(cell);
    layer.append(shape("circle", { class: index === 0 ? "last" : "turned", cx, cy, r: radius }));
  });
}

/** Shades the moves that the engine to move looked at, by their visits. */
function drawTop(layer, radius) {
  const next = shown.record.plies[shown.ply];
  const top = next?.top ?? [];
  const most = Math.max(1, ...top.map(([, , visits]) => visits));
  const { game, cols } = eventOf(shown.game).board;
  for (const [text, cell, visits, value] of top) {
    if (cell === null) continue;
    const [cx, cy] = middle(cell);
    layer.append(shape("circle", { class: `shade ${game}`, cx, cy, r: radius, opacity: 0.25 + (0.7 * visits) / most }));
    layer.append(shape("text", { class: cols > 9 ? "shade-text fine" : "shade-text", x: cx, y: cy + 0.02 },
      String(Math.round(100 * value))));
    if (text === next.move) {
      layer.append(shape("circle", { class: "played", cx, cy, r: radius }));
    }
  }
}

// ---- Charts over the plies

const CHART = { width: 350, left: 34, right: 344 };

function plyX(ply) {
  return CHART.left + ((CHART.right - CHART.left) * ply) / (shown.record.plies.length + 0.5);
}

/** A chart whose place tells the ply, with what stands beside its upper and lower end. */
function chart(caption, height, labels, parts) {
  const svg = shape("svg", { viewBox: `0 0 ${CHART.width} ${height + 10}`, onclick: stepToPointer },
    shape("line", { x1: CHART.left, x2: CHART.right, y1: height, y2: height, class: "axis" }),
    ...labels.map(([text, y]) =>
      shape("text", { x: CHART.left - 4, y: y + 4, "text-anchor": "end", "font-size": 10 }, text)),
    ...parts,
    shape("line", { class: "cursor", y1: 2, y2: height }));
  return element("figure", {}, element("figcaption", {}, ...caption), svg);
}

function stepToPointer(event) {
  const box = event.currentTarget.getBoundingClientRect();
  const x = ((event.clientX - box.left) / box.width) * CHART.width;
  stepTo(Math.round((x - CHART.left) / (plyX(1) - plyX(0))));
}

function drawCharts() {
  const plies = shown.record.plies.map((ply, index) => ({ ...ply, at: index + 1, engine: engineOf(ply.side) }));
  const told = plies.filter((ply) => ply.ms !== undefined);
  const charts = [];
  if (told.some((ply) => ply.value !== undefined)) charts.push(chancesChart(told));
  if (eventOf(shown.game).board.game === "reversi") charts.push(discsChart(plies));
  if (told.length > 0) charts.push(barChart("Time a move", told, (ply) => ply.ms, duration));
  if (told.some((ply) => ply.playouts !== undefined)) {
    charts.push(barChart("Playouts a move", told, (ply) => ply.playouts ?? 0, (n) => COMPACT.format(n)));
  }
  find("charts").replaceChildren(...charts);
}

/** The chances of the first engine of the pairing, as either engine saw them. */
function chancesChart(told) {
  const height = 120;
  const y = (value) => 6 + (height - 12) * (1 - value);
  const parts = [shape("line", { x1: CHART.left, x2: CHART.right, y1: y(0.5), y2: y(0.5), class: "axis" })];
  COLOURS.forEach((colour, engine) => {
    const seen = told.filter((ply) => ply.engine === engine && ply.value !== undefined)
      .map((ply) => [plyX(ply.at), y(engine === 0 ? ply.value : 1 - ply.value)]);
    parts.push(shape("polyline", { points: seen.map((it) => it.join(",")).join(" "), fill: "none",
      stroke: `var(--${colour})`, "stroke-width": 2, "stroke-linejoin": "round" }));
    parts.push(...seen.map(([cx, cy]) => shape("circle", { cx, cy, r: 2, fill: `var(--${colour})` })));
  });
  const at = new Map(chances().map(({ at, chance }) => [at, chance]));
  parts.push(...drops().slice(0, MARKED).map((ply) => {
    const [cx, cy] = [plyX(ply), y(at.get(ply))];
    return shape("path", { class: "drop", d: `M${cx} ${cy - 6}l5 9h-10z` }, shape("title", {}, `ply ${ply}`));
  }));
  const caption = [`Chances of ${engineName(0)} as seen by `,
    element("b", { class: "one" }, engineName(0)), " and ",
    element("b", { class: "other" }, engineName(1))];
  return chart(caption, height, [["100 %", y(1)], ["50 %", y(0.5)], ["0 %", y(0)]], parts);
}

/** How many discs the first engine is ahead by after each ply. */
function discsChart(plies) {
  const height = 70;
  const ahead = plies.map(({ at }) => stonesAfter(at).owner.reduce(
    (sum, side) => sum + (side === null ? 0 : engineOf(side) === 0 ? 1 : -1), 0));
  const y = (discs) => height / 2 - ((height - 12) / 2) * (discs / 64);
  const points = plies.map(({ at }, index) => `${plyX(at)},${y(ahead[index])}`).join(" ");
  const parts = [shape("line", { x1: CHART.left, x2: CHART.right, y1: y(0), y2: y(0), class: "axis" }),
    shape("polyline", { points, fill: "none", stroke: "var(--one)", "stroke-width": 2 })];
  return chart([`Discs that ${engineName(0)} is ahead by`], height, [["+64", y(64)], ["0", y(0)], ["−64", y(-64)]], parts);
}

function barChart(caption, told, measure, text) {
  const height = 56;
  const most = Math.max(...told.map(measure)) || 1;
  const width = Math.max(1, (plyX(1) - plyX(0)) * 0.7);
  const bars = told.map((ply) => {
    const tall = (height - 6) * (measure(ply) / most);
    return shape("rect", { x: plyX(ply.at) - width / 2, y: height - tall, width, height: tall,
      fill: `var(--${COLOURS[ply.engine]})` });
  });
  return chart([`${caption}, most ${text(most)}`], height, [], bars);
}

// ---- The table of moves

function drawMoves() {
  const rows = shown.record.plies.map((ply, index) => {
    const colour = COLOURS[engineOf(ply.side)];
    const given = index < shown.record.opening;
    return element("tr", { "data-ply": index + 1, onclick: () => stepTo(index + 1) },
      element("td", {}, String(index + 1)),
      element("td", { class: `name ${colour}` }, ply.move),
      element("td", {}, given ? "given" : duration(ply.ms)),
      element("td", {}, ply.playouts === undefined ? "" : COMPACT.format(ply.playouts)),
      element("td", {}, ply.value === undefined ? "" : percent(ply.value)));
  });
  find("moves").replaceChildren(element("table", {},
    element("thead", {}, element("tr", {}, element("th", {}, "#"),
      element("th", { class: "name" }, "move"), element("th", {}, "time"),
      element("th", {}, "playouts"), element("th", {}, "value"))),
    element("tbody", {}, ...rows)));
}

function drawCandidates() {
  const next = shown.record.plies[shown.ply];
  const place = find("candidates");
  // As high as it was in this game: what stands below must not jump from ply to ply.
  place.style.minHeight = `${place.offsetHeight}px`;
  place.replaceChildren();
  if (!next?.top) return;
  const most = Math.max(1, ...next.top.map(([, , visits]) => visits));
  const colour = COLOURS[engineOf(next.side)];
  const rows = next.top.map(([text, , visits, value]) => {
    const bar = element("div", { class: "bar" });
    bar.style.width = `${(100 * visits) / most}%`;
    return element("tr", {},
      element("td", { class: "name" }, text === next.move ? element("b", {}, text) : text),
      element("td", { class: `share ${colour}` }, bar),
      element("td", {}, COMPACT.format(visits)), element("td", {}, percent(value)));
  });
  place.append(
    element("p", { class: "quiet" }, "Looked at by ",
      element("b", { class: colour }, engineName(engineOf(next.side))), " for the next move, with visits and value:"),
    element("table", {}, element("tbody", {}, ...rows)));
}

// ---- Stepping

function drawPly() {
  const { game, ply } = shown;
  drawStones();
  drawCandidates();
  find("slider").value = ply;
  find("ply-text").replaceChildren(...plyText());
  for (const cursor of document.querySelectorAll(".cursor")) {
    cursor.setAttribute("x1", plyX(ply));
    cursor.setAttribute("x2", plyX(ply));
  }
  for (const row of document.querySelectorAll("#moves [aria-current]")) row.removeAttribute("aria-current");
  const row = document.querySelector(`#moves [data-ply="${ply}"]`);
  row?.setAttribute("aria-current", "true");
  if (row) scrollInto(find("moves"), row);
  else find("moves").scrollTop = 0;
  // Not a step in the browser's history, which would be full of plies.
  history.replaceState(null, "", `#${game.index + 1}/${ply}`);
}

function plyText() {
  const { record, ply } = shown;
  const done = record.plies[ply - 1];
  if (!done) return [`Start, ${record.plies.length} plies to come`];
  const who = engineOf(done.side);
  const facts = [ply <= record.opening ? "given" : duration(done.ms)];
  if (done.playouts !== undefined) facts.push(`${COMPACT.format(done.playouts)} playouts`);
  if (done.value !== undefined) facts.push(`value ${percent(done.value)}`);
  return [`Ply ${ply} of ${record.plies.length}: `,
    element("b", { class: COLOURS[who] }, engineName(who)), ` ${done.move}, ${facts.join(", ")}`];
}

/** Steps by itself until the end of the game, or until anything else is pressed. */
function autoplay(on) {
  clearInterval(shown.timer);
  const isEnd = () => shown.ply === shown.record.plies.length;
  shown.timer = on ? setInterval(() => (isEnd() ? autoplay(false) : stepTo(shown.ply + 1)), BEAT) : null;
  const button = document.querySelector("[data-step=play]");
  button.textContent = on ? "❚❚" : "▶";
  button.setAttribute("aria-label", on ? "Pause" : "Play by itself");
}

function stepTo(ply) {
  const last = shown.record.plies.length;
  shown.ply = Math.max(0, Math.min(last, ply));
  drawPly();
}

/** Does what a key or a button asks. */
function step(name) {
  if (name !== "play" && name !== "flip") autoplay(false);
  STEPS[name]();
}

/** Opens the game that stands so many further in the filtered list. */
function stepGame(by) {
  const at = shown.filtered.indexOf(shown.game);
  const next = shown.filtered[at + by];
  if (next) openGame(next);
}

const STEPS = {
  start: () => stepTo(0),
  back: () => stepTo(shown.ply - 1),
  on: () => stepTo(shown.ply + 1),
  end: () => stepTo(Infinity),
  play: () => autoplay(shown.timer === null),
  previous: () => stepGame(-1),
  next: () => stepGame(1),
  flip: () => {
    if (find("flip").hidden) return;
    shown.flipped = !shown.flipped;
    flip(shown.flipped);
  },
};

// Up and down are left to scrolling, which a long page needs.
const KEYS = {
  ArrowLeft: "back", ArrowRight: "on", Home: "start", End: "end", n: "next", p: "previous", f: "flip", " ": "play",
};

function onKey(event) {
  const name = KEYS[event.key];
  const modified = event.ctrlKey || event.altKey || event.metaKey;
  if (!name || modified || event.target.closest("select")
    || (event.key === " " && event.target.closest("button"))) return;
  event.preventDefault();
  step(name);
}

/** `#12/5` is game 12 after 5 plies. False: the address names no game. */
function openFragment() {
  const [, number, ply] = /^#(\d+)(?:\/(\d+))?$/.exec(location.hash) || [];
  const game = GAMES[Number(number) - 1];
  if (!game) return false;
  if (!shown.filtered.includes(game)) clearFilters();
  openGame(game, ply === undefined ? undefined : Number(ply));
  return true;
}

function clearFilters() {
  find("filter-pairing").value = "";
  find("filter-end").value = "";
  offerResults();
  filterGames();
}

drawStandings();
drawFilters();
clearFilters();
if (!openFragment()) openGame(GAMES[0]);
for (const button of document.querySelectorAll("[data-step]")) {
  button.addEventListener("click", () => step(button.dataset.step));
}
find("slider").addEventListener("input", (event) => stepTo(Number(event.target.value)));
document.addEventListener("keydown", onKey);
window.addEventListener("hashchange", openFragment);
