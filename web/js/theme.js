// Runs before the first paint, as a classic script: who chose dark must not see a white page first, and what works by
// scripts has its place from the beginning. Where the page's modules do not come, js/local.js takes it back.
document.documentElement.classList.add("scripted");

// Where those take very long, all of the page is there without them.
const SCRIPTS_MS = 8000;
setTimeout(() => {
  if (!document.getElementById("tastes")?.hidden) return;
  document.documentElement.classList.add("arrived");
  for (const kept of document.querySelectorAll(".prose noscript")) kept.outerHTML = kept.textContent;
}, SCRIPTS_MS);

try {
  const theme = localStorage.getItem("shm-sizer-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // No memory here: the browser's own choice stands.
}
