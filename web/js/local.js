// Where the page's modules have not run, it says why. Hence a classic script; it comes after them in the page.

/** The page as one without scripts. */
function plain() {
  globalThis.ahead?.worker.terminate(); // nobody will ask it
  document.documentElement.classList.remove("scripted");
  for (const kept of document.querySelectorAll(".wide noscript, .prose noscript")) kept.outerHTML = kept.textContent;
}

if (location.protocol === "file:") {
  document.getElementById("local").hidden = false; // browsers run no module and start no thread from files
  plain();
} else if (document.getElementById("tastes").hidden) {
  const words = "A part of this page has not arrived, so the form does not answer. What stands here is right for this workload.";
  document.getElementById("failure-text").textContent = words;
  document.getElementById("failure").hidden = false;
  document.getElementById("retry").addEventListener("click", () => location.reload());
  plain();
}
