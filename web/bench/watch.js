// Put into every page before its own scripts: notes when the engine has first answered, and what kept the
// page's thread busy. It changes nothing; what it notes is read when all is over.

globalThis.bench = {
  sent: () => {}, // told of each message to a worker
  heard: () => {}, // told of each message from one, before the page is
};

(() => {
  const busy = []; // tasks of 50 ms and more, which is how the browser defines a long one
  let live = null;
  let first = null; // what the page asked first

  const tasks = new PerformanceObserver((list) => list.getEntries().forEach(keep));
  tasks.observe({ type: "longtask", buffered: true });

  function keep({ startTime, duration }) {
    busy.push({ start: startTime, ms: duration });
  }

  const states = new MutationObserver(() => {
    if (!document.querySelector("#status[data-state=live]")) return;
    live = performance.now();
    states.disconnect();
  });
  states.observe(document, { subtree: true, attributes: true, attributeFilter: ["data-state"] });

  globalThis.Worker = class extends Worker {
    constructor(...of) {
      super(...of);
      this.addEventListener("message", ({ data }) => bench.heard(data));
    }

    postMessage(message, ...rest) {
      first ??= message.request;
      bench.sent(message);
      super.postMessage(message, ...rest);
    }
  };

  bench.numbers = () => {
    tasks.takeRecords().forEach(keep);
    const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null;
    return { origin: performance.timeOrigin, live, paint, busy, first };
  };
})();
