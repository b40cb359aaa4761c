// The other end of the page's lines where no program serves it: the engine itself, as WebAssembly in a
// worker. A page in one file has the engine and the worker within.

/** After how long to try again where the engine cannot be loaded or has ended. */
const PAUSE = 1000;

/** The bytes of the engine, which are compressed. `onLoading` is told which share of them is there. */
async function load(onLoading) {
  const within = document.getElementById("engine");
  const response = await fetch(within ? `data:application/octet-stream;base64,${within.textContent}` : "tengen.bin");
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  const total = Number(response.headers.get("Content-Length"));
  let loaded = 0;
  const counted = new TransformStream({
    transform(part, next) {
      loaded += part.length;
      if (total) onLoading(Math.min(1, loaded / total));
      next.enqueue(part);
    },
  });
  const bytes = response.body.pipeThrough(counted).pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(bytes).arrayBuffer());
}

function begin() {
  const within = document.getElementById("worker");
  if (!within) return new Worker("worker.js");
  return new Worker(URL.createObjectURL(new Blob([within.textContent], { type: "text/javascript" })));
}

/**
 * Connects. `onLine` gets every answer as an object, `onOpen` is called when an engine is there,
 * `onLoading` while it is loaded, and `onLost` when it is gone; another begins then.
 */
export function connect({ onLine, onOpen, onLost, onLoading }) {
  let engine = null;
  let worker = null;
  const start = async () => {
    try {
      engine ??= await load(onLoading);
    } catch {
      return again();
    }
    worker = begin();
    worker.onmessage = ({ data }) => (data === null ? onOpen() : onLine(JSON.parse(data)));
    worker.onerror = again;
    worker.postMessage(engine);
  };
  const again = () => {
    worker?.terminate();
    worker = null;
    onLost();
    setTimeout(start, PAUSE);
  };
  start();
  keep();
  return (line) => worker?.postMessage(JSON.stringify(line));
}

/** Keeps the page for when there is no network, where the browser allows it. */
function keep() {
  if (document.getElementById("engine") || !("serviceWorker" in navigator)) return;
  // Without it the page only needs the network again.
  navigator.serviceWorker.register("offline.js").catch(() => {});
}
