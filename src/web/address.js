// The position in the address: `#connect4/4435`, `#gomoku,20x20,renju/h8i9`,
// `#connect4,9x9,hole=2.3/445`. Only what is not as usual is named. `start=X..O,to=1` is a position
// that was set up.

const SIZES = { gomoku: "15x15", reversi: "8x8", connect4: "7x6" };
export const RULES = ["freestyle", "exact", "renju", "caro", "exact-caro"];

/** The size that a game usually has. */
export function usualSize(game) {
  return SIZES[game];
}

/** The address of a state. */
export function write(state) {
  const terms = [state.game];
  const size = `${state.cols}x${state.rows}`;
  if (size !== SIZES[state.game]) terms.push(size);
  if (state.rule !== "freestyle") terms.push(state.rule);
  if (state.hole !== undefined) terms.push(`hole=${state.hole % state.cols}.${Math.floor(state.hole / state.cols)}`);
  if (state.connect !== 4) terms.push(`connect=${state.connect}`);
  if (state.steal) terms.push("steal");
  if (state.start) terms.push(`start=${state.start[0]}`, `to=${state.start[1]}`);
  return `#${terms.join(",")}/${moveText(state, state.ply)}`;
}

/** The first moves of a game, side by side where nobody can mistake them. */
export function moveText(state, ply) {
  const wide = state.game === "connect4" && state.cols > 9;
  const words = state.moves.slice(0, ply).some((move) => !/^[a-z]?\d+$/.test(move));
  return state.moves.slice(0, ply).join(wide || words ? "_" : "");
}

/** The line that begins the game of an address; null where it is none. */
export function read(hash) {
  const [, head, moves] = /^#([^/]+)(?:\/(.*))?$/.exec(decoded(hash)) ?? [];
  if (!head) return null;
  const [game, ...terms] = head.split(",");
  if (!(game in SIZES)) return null;
  const line = { do: "new", game };
  for (const term of terms) {
    const [name, value] = term.split("=");
    if (/^\d+x\d+$/.test(name)) line.size = name;
    else if (RULES.includes(name)) line.rule = name;
    else if (name === "steal") line.steal = true;
    else if (!value) return null;
    else if (name === "hole") line.hole = value.replace(".", ",");
    else if (name === "connect") line.connect = Number(value);
    else if (name === "start") line.stones = value;
    else if (name === "to") line.to_move = Number(value);
    else return null;
  }
  line.moves = (moves ?? "").replaceAll("_", " ");
  return line;
}

/** Empty where a percent sign says nothing. */
function decoded(hash) {
  try {
    return decodeURIComponent(hash);
  } catch {
    return "";
  }
}
