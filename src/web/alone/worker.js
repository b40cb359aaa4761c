// The engine in a worker of the browser: WebAssembly that thinks in slices, and hears lines between
// them.

let engine = null;
let stepping = false;
const pause = new MessageChannel();

/** Sends what is answered, each line by itself. */
function answer() {
  const bytes = [];
  for (let byte = engine.take(); byte >= 0; byte = engine.take()) bytes.push(byte);
  const lines = new TextDecoder().decode(new Uint8Array(bytes)).split("\n");
  for (const line of lines) if (line) postMessage(line);
}

function hear(line) {
  for (const byte of new TextEncoder().encode(line)) engine.put(byte);
  engine.hear();
  answer();
  if (!stepping) {
    stepping = true;
    pause.port2.postMessage(null);
  }
}

// Between two slices the browser hands over the lines that have come.
pause.port1.onmessage = () => {
  stepping = engine.step() === 1;
  answer();
  if (stepping) pause.port2.postMessage(null);
};

onmessage = async ({ data }) => {
  if (typeof data === "string") return hear(data);
  const instance = await WebAssembly.instantiate(data, { page: { now: () => performance.now() } });
  engine = instance.exports;
  postMessage(null);
};
