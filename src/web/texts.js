// Every text of the page, in each of its languages. `{0}` stands for the first thing told with it.

const TEXTS = {
  en: {
    title: "Tengen", board: "Board", analysis: "Analysis", gomoku: "Gomoku", reversi: "Reversi", connect4: "Connect Four",
    newGame: "New game", undo: "Undo", redo: "Redo", moveNow: "Move now", engineMove: "Let the engine move",
    hints: "Hints", review: "Review", share: "Share", pass: "Pass", confirm: "Play {0}",
    game: "Game", size: "Size", rule: "Rule", hole: "Hole (column,row from 0)", connect: "In a row to win", steal: "The second player may steal the first stone",
    time: "Time a move", seconds: "s", start: "Start", cancel: "Cancel", close: "Close",
    you: "You", level: "Level {0}", tengen: "Tengen", plays: "{0} is played by",
    freestyle: "freestyle: five or more", exact: "exactly five", renju: "renju", caro: "caro", "exact-caro": "caro, exactly five",
    black: "Black", white: "White", red: "Red", yellow: "Yellow",
    toMove: "{0} to move", thinking: "{0} is thinking", won: "{0} won", wonBy: "{0} won by {1}", drawn: "Drawn",
    played: "{0} {1}", passed: "{0} passed", lostConnection: "The engine is gone. Trying again …",
    empty: "empty", legal: "legal", forbidden: "forbidden", lastMove: "last move", winning: "in the winning row", holeCell: "hole",
    speed: "{0} playouts, {1} a second, depth {2}", value: "Win rate of {0}: {1}",
    proofWin: "{0} wins in {1}", proofLoss: "{0} loses in {1}", proofDraw: "drawn with best play",
    candidates: "Moves the engine looked at", move: "Move", rate: "Win rate", visits: "Visits", score: "Score", line: "Line",
    graph: "Win rate by move", ply: "Move number", ofPlies: "{0} of {1}",
    accuracy: "{0} kept {1}", reviewing: "Reviewing: {0} of {1}", noMistakes: "No mistakes found.",
    blunder: "blunder", mistake: "mistake", inaccuracy: "inaccuracy", insteadOf: "{0}. {1} {2}: {3}, gave away {4}. Better: {5}",
    mistakes: "Mistakes", address: "Address of this position", moves: "Moves", load: "Load",
    paste: "Paste moves, SGF, PSQ, GGF, PGN or a record of a match", openFile: "Open a file", save: "Save as {0}", picture: "Save a picture", film: "Save a moving picture",
    mobility: "{0}, {1} moves", keys: "Keys: arrows and Enter on the board, U undo, R redo, N new game, H hints, Space move now, P pause, M next mistake",
    setUp: "Set up", done: "Done", setUpHelp: "Click cells to change their stones. Then choose who moves.",
    language: "中文", stop: "Stop",
    moveList: "Moves of the game", hintOf: "{0} percent", loading: "Loading the engine: {0} %",
    pause: "Pause", clock: "Clock for each side", noClock: "none", ponder: "Engine thinks in your time", lostOnTime: "{0} lost on time",
    makesFive: "{0} makes five here", makesFour: "{0} makes an open four here", engine: "the engine",
    swap2: "Swap2 opening", "swap2-three": "Swap2: three stones, black, white and black", "swap2-choose": "Swap2: choose",
    "swap2-two": "Swap2: two more stones, white and black", "swap2-last": "Swap2: choose a colour",
    takeBlack: "Play black", takeWhite: "Play white", placeTwo: "Put two more stones", taken: "{0} is played by {1}",
  },
  zh: {
    title: "天元", board: "棋盘", analysis: "分析", gomoku: "五子棋", reversi: "黑白棋", connect4: "四子棋",
    newGame: "新对局", undo: "悔棋", redo: "重做", moveNow: "立即落子", engineMove: "让引擎落子",
    hints: "提示", review: "复盘", share: "分享", pass: "弃权", confirm: "落子 {0}",
    game: "游戏", size: "棋盘大小", rule: "规则", hole: "禁用格(列,行,从 0 起)", connect: "连成几子获胜", steal: "后手可以夺取第一子",
    time: "每步时间", seconds: "秒", start: "开始", cancel: "取消", close: "关闭",
    you: "您", level: "第 {0} 级", tengen: "天元", plays: "{0}由谁来下",
    freestyle: "无禁手:五子及以上", exact: "恰好五子", renju: "连珠(有禁手)", caro: "卡罗", "exact-caro": "卡罗,恰好五子",
    black: "黑方", white: "白方", red: "红方", yellow: "黄方",
    toMove: "轮到{0}", thinking: "{0}正在思考", won: "{0}获胜", wonBy: "{0}以 {1} 子获胜", drawn: "和棋",
    played: "{0} {1}", passed: "{0}弃权", lostConnection: "与引擎的连接已断开,正在重试……",
    empty: "空", legal: "可落子", forbidden: "禁手", lastMove: "上一手", winning: "获胜连线", holeCell: "禁用格",
    speed: "{0} 次模拟,每秒 {1} 次,深度 {2}", value: "{0}胜率:{1}",
    proofWin: "{0} {1} 手内必胜", proofLoss: "{0} {1} 手内必败", proofDraw: "双方最佳为和棋",
    candidates: "引擎考虑的着法", move: "着法", rate: "胜率", visits: "访问次数", score: "分值", line: "变化",
    graph: "各手胜率", ply: "手数", ofPlies: "第 {0} 手,共 {1} 手",
    accuracy: "{0}准确率 {1}", reviewing: "正在复盘:{0} / {1}", noMistakes: "没有发现失误。",
    blunder: "大漏着", mistake: "失误", inaccuracy: "不精确", insteadOf: "{0}. {1} {2}:{3},损失 {4}。更好:{5}",
    mistakes: "失误", address: "本局面的地址", moves: "着法", load: "载入",
    paste: "粘贴着法、SGF、PSQ、GGF、PGN 或对局记录", openFile: "打开文件", save: "存为 {0}", picture: "保存图片", film: "保存动图",
    mobility: "{0} 子,{1} 种着法", keys: "按键:方向键与回车落子,U 悔棋,R 重做,N 新对局,H 提示,空格立即落子,P 暂停,M 下一失误",
    setUp: "摆棋", done: "完成", setUpHelp: "点击格子更换棋子,然后选择轮到谁下。",
    language: "English", stop: "停止",
    moveList: "本局着法", hintOf: "百分之 {0}", loading: "正在载入引擎:{0} %",
    pause: "暂停", clock: "双方用时", noClock: "不限", ponder: "引擎在您的时间里思考", lostOnTime: "{0}超时负",
    makesFive: "{0}在此成五", makesFour: "{0}在此成活四", engine: "引擎",
    swap2: "Swap2 开局", "swap2-three": "Swap2:放三子,黑、白、黑", "swap2-choose": "Swap2:请选择",
    "swap2-two": "Swap2:再放两子,白、黑", "swap2-last": "Swap2:请选择颜色",
    takeBlack: "执黑", takeWhite: "执白", placeTwo: "再放两子", taken: "{0}由{1}来下",
  },
};

let language = "en";

/** Chooses a language, which the page keeps; the browser's where none was chosen. */
export function choose(name) {
  const wanted = name ?? (navigator.language.startsWith("zh") ? "zh" : "en");
  language = wanted in TEXTS ? wanted : "en";
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  for (const node of document.querySelectorAll("[data-text]")) node.textContent = text(node.dataset.text);
  for (const node of document.querySelectorAll("[data-label]")) node.setAttribute("aria-label", text(node.dataset.label));
}

export function other() {
  return language === "zh" ? "en" : "zh";
}

export function text(name, ...parts) {
  const found = TEXTS[language][name] ?? name;
  return parts.reduce((all, part, index) => all.replaceAll(`{${index}}`, String(part)), found);
}
