// The other end of the page's lines: a session of the program that serves the page.

/** What a server answers that has no room just now, how often to try again, and after how long. */
const BUSY = [429, 503];
const ATTEMPTS = 20;
const PAUSE = 250;
/** After how long to connect anew where the server refused. */
const REFUSED_PAUSE = 2000;

/**
 * Connects. `onLine` gets every answer as an object, `onOpen` is called when a new session is there, and
 * `onLost` when it is gone; another is tried for then.
 */
export function connect({ onLine, onOpen, onLost }) {
  let page = null;
  // One after the other, for they must arrive in order.
  let sending = Promise.resolve();
  const listen = () => {
    const events = new EventSource("events");
    events.onmessage = (event) => {
      const line = JSON.parse(event.data);
      if (line.page) {
        page = line.page;
        onOpen();
      } else {
        onLine(line);
      }
    };
    events.onerror = () => {
      page = null;
      onLost();
      // A browser tries again by itself, but not where it was refused.
      if (events.readyState === EventSource.CLOSED) setTimeout(listen, REFUSED_PAUSE);
    };
  };
  listen();
  const post = async (line) => {
    for (let attempt = 0; page !== null && attempt < ATTEMPTS; attempt++) {
      const response = await fetch(`page/${page}`, { method: "POST", body: JSON.stringify(line) });
      if (!BUSY.includes(response.status)) {
        if (!response.ok) onLine({ error: `${response.status} ${response.statusText}` });
        return;
      }
      await new Promise((done) => setTimeout(done, PAUSE));
    }
  };
  return (line) => {
    sending = sending.then(() => post(line)).catch(onLost);
  };
}
