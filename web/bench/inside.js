// Put into the engine's worker once it is up: how long each of its answers takes, without the way there and back.
() => {
  const answer = self.onmessage;
  const calls = {}; // id -> milliseconds
  self.calls = calls;
  self.onmessage = (event) => {
    const start = performance.now();
    const note = () => (calls[event.data.id] = performance.now() - start);
    const done = answer.call(self, event);
    if (done?.finally) return done.finally(note);
    note();
  };
};
