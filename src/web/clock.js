// The clocks of both sides. The page keeps them; the engine is told what it has left.

import { app, find } from "./state.js";

/** What is on the clocks; `left` is null where none are used. Times are in milliseconds. */
const clock = { left: null, increment: 0, side: null, since: 0, flagged: null };

/** Sets both clocks: `600+5` is ten minutes, and five seconds for each move; without terms there are none. */
export function setClocks(terms) {
  const [left, increment] = terms.split("+").map((seconds) => 1000 * Number(seconds));
  Object.assign(clock, { left: terms ? [left, left] : null, increment: increment || 0, side: null, flagged: null });
}

/** The side whose time is up; null if there is none. */
export function flagged() {
  return clock.flagged;
}

/** From now on it is this side's time that runs, or nobody's. */
export function runClock(side) {
  if (!clock.left) return;
  const now = performance.now();
  if (clock.side !== null) clock.left[clock.side] -= now - clock.since;
  Object.assign(clock, { side, since: now });
}

/** A side has made its move within its time. */
export function addIncrement(side) {
  if (clock.left) clock.left[side] += clock.increment;
}

/** What the side to move may use, as the engine is told it; null without clocks. */
export function timeLeft() {
  if (!clock.left) return null;
  return { left: Math.max(1, Math.round(remaining(app.state.to_move))), increment: clock.increment };
}

function remaining(side) {
  return clock.left[side] - (clock.side === side ? performance.now() - clock.since : 0);
}

/** What stands on a side's clock, as `1:05`; null without clocks. */
export function clockText(side) {
  if (!clock.left) return null;
  const tenths = Math.max(0, Math.ceil(remaining(side) / 100));
  const [minutes, seconds] = [Math.floor(tenths / 600), Math.floor((tenths % 600) / 10)];
  return `${minutes}:${String(seconds).padStart(2, "0")}${tenths < 100 ? `.${tenths % 10}` : ""}`;
}

/** Draws the clocks again and again, and calls `onFlag` once a side's time is up. */
export function watchClocks(onFlag) {
  setInterval(() => {
    if (!clock.left) return;
    for (const node of document.querySelectorAll("[data-clock]")) node.textContent = clockText(Number(node.dataset.clock));
    if (clock.side === null || remaining(clock.side) > 0) return;
    clock.flagged = clock.side;
    runClock(null);
    onFlag();
  }, 100);
}

/** Both clocks as they were chosen, at a new game or after a side's time was up. */
export function resetClocks() {
  setClocks(find("clock").value);
}
