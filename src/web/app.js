// The page of `tengen board`. It knows no rules: the engine at the other end says which moves there are,
// what they changed, and who won.

import { STONES, element, shape } from "./board.js";
import * as address from "./address.js";
import { changeStone, drawSetUp, gameChosen, goOnSetUp, leave, load, newChosen, openNew, refuseSetUp } from "./begin.js";
import { addIncrement, clockText, flagged, resetClocks, runClock, setClocks, timeLeft, watchClocks } from "./clock.js";
import { drawBoard, drawGhost, drawMarks, focusCell, hands, showLine } from "./drawing.js";
import { connect } from "./engine.js";
import { graph, moveList, reviewed, thoughts } from "./panels.js";
import { recall, remember } from "./reviews.js";
import { film, picture, save } from "./saving.js";
import { app, ask, cellLabel, find, isEngine, known, mayPlay, moveAt, sideAt, sideName, turn } from "./state.js";
import { drawSwap2, goOnSwap2, judgeSwap2 } from "./swap2.js";
import { choose, other, text } from "./texts.js";

const ENGINE_LEVELS = 10;
/** How long hints are thought about, and exact scores, in milliseconds. */
const HINT_TIME = 10000;
const SCORE_TIME = 3000;
/** How long a review thinks about each position. */
const REVIEW_TIME = 250;

// ---- Playing

/** On a screen that is touched, a cell is tapped and then confirmed. */
const touched = matchMedia("(pointer: coarse)");

function tapped(cell) {
  app.cursor = cell;
  if (app.settingUp) return changeStone(cell);
  const move = moveAt(cell);
  if (!move || !mayPlay() || flagged() !== null) return;
  if (touched.matches && app.chosen !== cell) {
    app.chosen = cell;
    drawGhost(cell);
    drawTurn();
    return;
  }
  play(move[0]);
}

function play(move) {
  app.chosen = null;
  app.paused = false;
  ask(null, { do: "play", move });
}

function onCellKey(event, cell) {
  const { cols, rows } = app.state;
  const [col, row] = [cell % cols, Math.floor(cell / cols)];
  const to = {
    ArrowLeft: [col - 1, row], ArrowRight: [col + 1, row], ArrowUp: [col, row - 1], ArrowDown: [col, row + 1],
    Home: [0, row], End: [cols - 1, row], PageUp: [col, 0], PageDown: [col, rows - 1],
  }[event.key];
  if (to) {
    event.preventDefault();
    event.stopPropagation();
    const [c, r] = [Math.max(0, Math.min(cols - 1, to[0])), Math.max(0, Math.min(rows - 1, to[1]))];
    focusCell(r * cols + c);
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    event.stopPropagation();
    if (app.settingUp) return changeStone(cell);
    const move = moveAt(cell);
    if (move && mayPlay() && flagged() === null) play(move[0]);
  }
}

/** Does what the position on the board asks for: the engine's move, or hints. */
function goOn() {
  const { outcome, to_move } = app.state;
  if (outcome || app.settingUp || app.asked === "review" || flagged() !== null) return;
  if (app.swap2) return goOnSwap2();
  if (isEngine(to_move)) {
    if (!app.paused) think();
  } else if (app.hints) {
    askHints();
  }
}

/** The engine moves, for a person too. */
function think() {
  const level = Number(app.players[app.state.to_move]);
  const line = { do: "think", ...(level ? { level } : timeLeft() ?? { time: timeOfMove() }) };
  runClock(app.state.to_move);
  ask("move", line);
  drawTurn();
}

/** What is chosen for a move, in milliseconds; a second where that is no time. */
function timeOfMove() {
  const time = Math.round(1000 * Number(find("time").value));
  return time > 0 ? time : 1000;
}

function askHints() {
  if (app.state.outcome) return;
  if (canScore() && !app.exact) ask("scores", { do: "scores", time: SCORE_TIME });
  else ask("hints", { do: "analyze", time: HINT_TIME });
}

/** Whether a solver may know the position soon. */
function canScore() {
  const { game, steal, stones } = app.state;
  const empty = [...stones].filter((stone) => stone === ".").length;
  return (game === "connect4" && !steal) || (game === "reversi" && empty <= 18);
}

function jump(ply) {
  if (app.asked === "review") return;
  leave();
  if (flagged() !== null) resetClocks();
  app.jumping = true;
  ask(null, { do: "go", ply });
}

/** Two engines stop playing each other, until the engine is told to move. */
function pause() {
  jump(app.state.ply);
}

/** A side has no time left. */
function onFlag() {
  app.paused = true;
  ask(null, { do: "go", ply: app.state.ply });
}

/**
 * Tells the engine whether it may think in the time of the other side: only against a person. Returns whether
 * that was news, after which the state comes once more.
 */
function setPonder() {
  const wanted = find("ponder").checked && app.players.includes("tengen") && app.players.includes("you");
  if (wanted === app.pondering || app.asked === "review") return false;
  app.pondering = wanted;
  ask(null, { do: "ponder", on: wanted });
  return true;
}

/** Back to the last time a person could move; by one where nobody plays but engines. */
function undo() {
  if (app.state.ply === 0) return;
  let ply = app.state.ply - 1;
  const people = [0, 1].some((side) => !isEngine(side));
  while (people && ply > 0 && isEngine(sideAt(ply))) ply--;
  jump(ply);
}

function redo() {
  if (app.state.ply === app.state.moves.length) return;
  let ply = app.state.ply + 1;
  const people = [0, 1].some((side) => !isEngine(side));
  while (people && ply < app.state.moves.length && isEngine(sideAt(ply))) ply++;
  jump(ply);
}

// ---- Answers

function onLine(line) {
  const [[kind, body]] = Object.entries(line);
  ({ state: onState, info: onFound, best: onFound, analysis: onFound, scores: onScores, progress: onProgress, review: onReview, files: onFiles, error: onError })[kind]?.(body, kind);
}

function onState(state) {
  if (onFrame(state)) return;
  const before = app.state;
  const grown = before && state.ply === before.ply + 1;
  const { jumping } = app;
  const played = grown && !jumping;
  // Before the new game a move of the old one may be told.
  const beginning = app.beginning && state.moves.length === 0;
  Object.assign(app, { jumping: false, beginning: app.beginning && !beginning });
  app.state = state;
  app.found = null;
  app.exact = null;
  app.chosen = null;
  if (app.asked === "move" || app.asked === "review") app.asked = null;
  const common = before ? commonPlies(before, state) : -1;
  const same = before && common >= Math.min(before.ply, state.ply);
  if (!same) {
    app.values = [];
    app.cursor = Math.floor(state.rows / 2) * state.cols + Math.floor(state.cols / 2);
  }
  if (played) addIncrement(sideAt(state.ply - 1));
  else if (beginning || !same) resetClocks();
  // What was said once more, as after `ponder`, stops no clock.
  const again = same && !jumping && !beginning && state.ply === before.ply && state.moves.length === before.moves.length;
  if (!again) runClock(played && !state.outcome && !app.swap2 ? state.to_move : null);
  app.values.length = Math.min(app.values.length, common + 1);
  if (state.outcome) app.values[state.ply] = state.outcome[0] === null ? 0.5 : 1 - state.outcome[0];
  app.review = recall(state, app.review);
  if (app.review) app.values = [...app.review.values];
  app.written = address.write(state);
  history.replaceState(null, "", app.written);
  if (app.settingUp) goOnSetUp();
  draw();
  announce(grown);
  if (find("share-dialog").open) fillShare();
  if (!setPonder()) goOn();
}

/** How many of the first moves two states have in common; -1 if the games do not begin alike. */
function commonPlies(before, state) {
  const [begun, begins] = [before, state].map((it) => address.write({ ...it, ply: 0 }));
  if (begun !== begins) return -1;
  const differs = state.moves.findIndex((move, index) => before.moves[index] !== move);
  return differs < 0 ? state.moves.length : differs;
}

function onFound(found, kind) {
  if (found.ply !== app.state.ply) return;
  if (found.moves.length > 0) {
    app.found = found;
    const first = app.state.to_move === 0 ? found.value : 1 - found.value;
    app.values[found.ply] = first;
  }
  if (kind === "analysis") {
    app.asked = null;
    judgeSwap2(found.value);
  }
  if (app.hints) {
    drawMarks();
    drawLabels();
  }
  drawFacts();
  drawTurn();
}

function onScores(found) {
  app.asked = null;
  if (found.ply !== app.state.ply) return;
  app.exact = found;
  if (app.hints) askHints();
  drawMarks();
  drawTurn();
}

function onProgress([ply, plies]) {
  // It goes on where a new game was refused meanwhile.
  if (app.asked !== "review") {
    app.asked = "review";
    drawTurn();
  }
  find("note").textContent = text("reviewing", ply, plies);
}

function onReview(review) {
  app.asked = null;
  app.review = remember(app.state, review);
  app.values = [...review.values];
  find("note").textContent = "";
}

/** Offers the game as files. */
function onFiles(files) {
  const buttons = files.map(([format, content]) => element("button", {
    type: "button", onclick: () => save(`tengen.${format}`, new Blob([content], { type: "text/plain" })),
  }, text("save", format.toUpperCase())));
  find("saves").replaceChildren(...buttons, element("button", { type: "button", onclick: () => picture(find("board").querySelector("svg")) }, text("picture")),
    element("button", { type: "button", onclick: beginFilm }, text("film")));
}

/** Goes through the game up to this position, for a picture that moves. */
function beginFilm() {
  app.paused = true;
  app.film = { frames: [], back: app.state.ply };
  ask(null, { do: "go", ply: 0 });
}

/** Takes a position for the picture and goes on to the next. Returns whether one is being made. */
function onFrame(state) {
  if (!app.film) return false;
  const { frames, back } = app.film;
  if (state.ply !== frames.length) {
    app.film = null;
    return false;
  }
  frames.push(state.stones);
  if (frames.length <= back) {
    ask(null, { do: "go", ply: frames.length });
    return true;
  }
  app.film = null;
  film(find("board").querySelector("svg"), state, frames);
  return false;
}

function onError(message) {
  // What is refused during a review does not end it.
  if (app.asked !== "review") app.asked = null;
  Object.assign(app, { jumping: false, beginning: false, film: null });
  app.swap2 = null;
  find("note").textContent = message;
  if (app.settingUp) refuseSetUp();
  if (find("share-dialog").open) find("share-error").textContent = message;
  if (app.state) drawTurn();
  // What the address asks for is refused, and there is no board yet.
  else app.send({ do: "state" });
}

// ---- What stands around the board

function draw() {
  drawPlayers();
  drawBoard();
  drawFacts();
  drawTurn();
}

function drawLabels() {
  for (const node of document.querySelectorAll(".cell")) node.setAttribute("aria-label", cellLabel(Number(node.dataset.cell)));
}

function playerName(value) {
  return value === "you" ? text("you") : value === "tengen" ? text("tengen") : text("level", value);
}

function drawPlayers() {
  const { state } = app;
  const size = `${state.cols}×${state.rows}`;
  find("game-name").textContent = `${text(state.game)} ${size}${state.game === "gomoku" ? `, ${text(state.rule)}` : ""}`;
  const values = ["you", ...Array.from({ length: ENGINE_LEVELS }, (_, index) => String(index + 1)), "tengen"];
  const active = document.activeElement?.dataset?.player;
  find("players").replaceChildren(...[0, 1].map((side) => {
    const select = element("select", { "aria-label": text("plays", sideName(side)), "data-player": String(side), onchange: (event) => playerChanged(side, event.target.value) },
      ...values.map((value) => element("option", { value }, playerName(value))));
    select.value = app.players[side];
    const moves = !state.outcome && state.to_move === side;
    const discs = [...state.stones].filter((stone) => stone === "XO"[side]).length;
    const mobility = state.legal.filter(([, cell]) => cell !== null).length;
    const count = state.game === "reversi"
      ? element("span", { class: "count" }, moves ? text("mobility", discs, mobility) : String(discs)) : null;
    const icon = shape("svg", { viewBox: "0 0 1 1", "aria-hidden": "true" }, shape("circle", { class: STONES[state.game][side], cx: 0.5, cy: 0.5, r: 0.45 }));
    if (state.game === "connect4" && side === 1) icon.append(shape("circle", { class: "inner", cx: 0.5, cy: 0.5, r: 0.25 }));
    const time = clockText(side);
    return element("div", { class: moves ? "player moves" : "player" }, icon, element("span", {}, sideName(side)), count,
      time === null ? null : element("span", { class: "clock", role: "timer", "data-clock": String(side) }, time), select);
  }));
  if (active !== undefined) document.querySelector(`[data-player="${active}"]`)?.focus();
}

function playerChanged(side, value) {
  app.players[side] = value;
  app.paused = false;
  if (app.asked !== "move") goOn();
  // The other player of this side thinks anew.
  else if (side === app.state.to_move) ask(null, { do: "go", ply: app.state.ply });
  setPonder();
  drawTurn();
}

function drawTurn() {
  const { outcome, legal, ply, moves } = app.state;
  const engine = !outcome && isEngine(turn());
  const running = !outcome && !app.paused && !app.swap2 && isEngine(0) && isEngine(1);
  find("status").textContent = app.settingUp ? text("setUpHelp") : statusText();
  find("confirm").hidden = app.chosen === null;
  if (app.chosen !== null) find("confirm").textContent = text("confirm", moveAt(app.chosen)?.[0] ?? "");
  find("pass").hidden = outcome !== undefined || engine || flagged() !== null || !legal.some(([move]) => move === "pass");
  find("engine-move").hidden = outcome !== undefined || app.asked === "move" || app.asked === "review" || app.settingUp !== null || app.swap2 !== null || flagged() !== null;
  find("pause").hidden = !running;
  find("move-now").hidden = app.asked !== "move" && app.asked !== "review";
  find("move-now").textContent = text(app.asked === "review" ? "stop" : "moveNow");
  find("undo").disabled = ply === 0;
  find("redo").disabled = ply === moves.length;
  find("review").disabled = moves.length === 0 || app.asked === "review";
  find("share").disabled = app.asked === "review";
  find("hints").setAttribute("aria-pressed", String(app.hints));
}

function statusText() {
  const { outcome, to_move, game } = app.state;
  if (flagged() !== null) return text("lostOnTime", sideName(flagged()));
  if (!outcome) return text(app.asked === "move" ? "thinking" : "toMove", sideName(to_move));
  const [winner, margin] = outcome;
  if (winner === null) return text("drawn");
  return game === "reversi" ? text("wonBy", sideName(winner), Math.abs(margin)) : text("won", sideName(winner));
}

/** Says the last move, for those who do not see it. */
function announce(grown) {
  const { moves, ply, outcome } = app.state;
  if (!grown) return;
  const move = moves[ply - 1];
  const name = sideName(sideAt(ply - 1));
  const said = move === "pass" ? text("passed", name) : text("played", name, move);
  find("status").textContent = `${said}. ${statusText()}`;
  if (!isEngine(sideAt(ply - 1))) find("note").textContent = "";
}

function drawFacts() {
  const { state } = app;
  const shown = app.hints || isEngine(state.to_move) ? known() : null;
  // Who reads the candidates keeps their place in them.
  const of = shown && app.written;
  if (!document.activeElement?.closest("#thoughts") || app.thoughtsOf !== of) {
    app.thoughtsOf = of;
    find("thoughts").replaceChildren(...thoughts(shown, sideName(state.to_move), { showLine, hideLine: () => drawGhost(null) }));
  }
  const faults = app.review ? app.review.plies.flatMap((ply, index) => ply.kind ? [index + 1] : []) : [];
  find("graph").replaceChildren(...graph(app.values, state.moves.length, state.ply, faults, sideName(0), jump));
  find("slider").max = state.moves.length;
  find("slider").value = state.ply;
  find("ply-text").textContent = text("ofPlies", state.ply, state.moves.length);
  find("moves").replaceChildren(...moveList(state.moves, state.ply, jump));
  find("reviewed").replaceChildren(...(app.review ? reviewed(app.review, [sideName(0), sideName(1)], jump) : []));
}

// ---- Review, sharing, openings

function review() {
  if (app.asked === "review") return;
  app.paused = true;
  runClock(null);
  ask("review", { do: "review", time: REVIEW_TIME });
  drawTurn();
}

/** Goes to the next mistake, or the one before. */
function mistake(step) {
  const at = (app.review?.plies ?? []).flatMap((ply, index) => ply.kind ? [index] : []);
  const next = step > 0 ? at.find((ply) => ply > app.state.ply) : at.findLast((ply) => ply < app.state.ply);
  if (next !== undefined) jump(next);
}

function openShare() {
  fillShare();
  find("share-dialog").showModal();
}

function fillShare() {
  find("share-address").value = location.href;
  find("share-moves").value = address.moveText(app.state, app.state.moves.length).replaceAll("_", " ");
  find("share-error").textContent = "";
  find("saves").replaceChildren();
  app.send({ do: "export" });
}

function tryToLoad(content) {
  try {
    load(content);
  } catch (error) {
    onError(error.message);
  }
}

/** The engine thinks about the colour that it takes in an opening by Swap2. */
function askColour(time) {
  ask("hints", { do: "analyze", time });
}

function colourTaken() {
  drawPlayers();
  drawTurn();
  goOn();
}

// ---- Keys and buttons

const KEYS = {
  u: undo, r: redo, n: openNew, p: () => find("pause").hidden || pause(), h: () => find("hints").click(), " ": moveNow, m: () => mistake(1), M: () => mistake(-1),
  ArrowLeft: () => app.state.ply > 0 && jump(app.state.ply - 1),
  ArrowRight: () => app.state.ply < app.state.moves.length && jump(app.state.ply + 1),
  Home: () => jump(0), End: () => jump(app.state.moves.length),
};

function moveNow() {
  if (app.asked === "move" || app.asked === "review") {
    app.send({ do: "stop" });
    if (app.asked === "review") {
      find("note").textContent = "";
      app.asked = null;
      drawTurn();
    }
  } else if (!find("engine-move").hidden) {
    app.paused = false;
    think();
  }
}

function onKey(event) {
  const act = KEYS[event.key];
  const busy = event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]");
  const typing = event.target.closest("input, select, textarea, dialog") || (event.key === " " && event.target.closest("button"));
  if (!act || busy || typing || !app.state) return;
  event.preventDefault();
  act();
}

function listen() {
  hands.click = tapped;
  hands.key = onCellKey;
  const click = (id, act) => find(id).addEventListener("click", act);
  click("undo", undo);
  click("redo", redo);
  click("new", openNew);
  click("review", review);
  click("share", openShare);
  click("pause", pause);
  click("move-now", moveNow);
  click("engine-move", moveNow);
  click("pass", () => play("pass"));
  click("confirm", () => app.chosen !== null && play(moveAt(app.chosen)[0]));
  click("hints", () => {
    app.hints = !app.hints;
    if (app.hints) goOn();
    else if (app.asked === "hints" || app.asked === "scores") ask(null, { do: "stop" });
    drawMarks();
    drawFacts();
    drawTurn();
  });
  click("language", () => {
    const chosen = other();
    choose(chosen);
    try {
      localStorage.setItem("language", chosen);
    } catch {
      // It holds for this page.
    }
    if (app.state) draw();
    if (app.settingUp) drawSetUp();
    if (app.swap2) drawSwap2();
  });
  click("load", () => tryToLoad(find("paste").value));
  click("share-close", () => find("share-dialog").close());
  for (const id of ["share-address", "share-moves"]) find(id).addEventListener("focus", (event) => event.target.select());
  find("clock").addEventListener("change", () => {
    setClocks(find("clock").value);
    if (app.state) draw();
  });
  find("ponder").addEventListener("change", setPonder);
  find("file").addEventListener("change", async (event) => {
    const [file] = event.target.files;
    if (file) tryToLoad(await file.text());
  });
  find("slider").addEventListener("input", (event) => jump(Number(event.target.value)));
  find("new-form").game.addEventListener("change", gameChosen);
  find("new-form").addEventListener("submit", (event) =>
    newChosen(event.submitter?.value, { play, think: askColour, goOn: colourTaken }));
  document.addEventListener("keydown", onKey);
  addEventListener("hashchange", () => {
    const line = location.hash === app.written ? null : address.read(location.hash);
    if (line) {
      leave();
      ask(null, line);
    }
  });
}

function start() {
  let language;
  try {
    language = localStorage.getItem("language");
  } catch {
    language = null;
  }
  choose(language);
  listen();
  watchClocks(onFlag);
  app.send = connect({
    onLine,
    onOpen: () => {
      // A position that is opened is looked at first.
      app.paused = true;
      app.pondering = false;
      app.send(address.read(location.hash) ?? { do: "state" });
    },
    onLoading: (share) => {
      find("status").textContent = text("loading", Math.round(100 * share));
    },
    onLost: () => {
      app.asked = null;
      find("status").textContent = text("lostConnection");
    },
  });
}

start();
