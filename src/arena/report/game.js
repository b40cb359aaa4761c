// One game of the match: the board, the charts, the table of its moves, and stepping through it. It is
// a part of the page's one script, with what page.js keeps in `shown`.

// A change of the chances that is marked: a fifth of all.
const DROP = 0.2;
// The drops that are marked in the chart.
const MARKED = 5;
// Milliseconds between two plies that step by themselves.
const BEAT = 700;

/** Opens a game at a ply, or where its opening ends. */
function openGame(game, ply) {
  autoplay(false);
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

/** Steps by itself until the end of the game, or until another ply or game is asked for. */
function autoplay(on) {
  clearInterval(shown.timer);
  const isEnd = () => shown.ply === shown.record.plies.length;
  shown.timer = on ? setInterval(() => (isEnd() ? autoplay(false) : showPly(shown.ply + 1)), BEAT) : null;
  const button = document.querySelector("[data-step=play]");
  button.textContent = on ? "❚❚" : "▶";
  button.setAttribute("aria-label", on ? "Pause" : "Play by itself");
}

function stepTo(ply) {
  autoplay(false);
  showPly(ply);
}

function showPly(ply) {
  const last = shown.record.plies.length;
  shown.ply = Math.max(0, Math.min(last, ply));
  drawPly();
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
  STEPS[name]();
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
