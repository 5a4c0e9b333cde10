// Runs before the first paint, as a classic script: who chose dark must not see a white page first, and what works by
// scripts has its place from the beginning. Where the page's modules do not come, js/local.js takes it back.
document.documentElement.classList.add("scripted");
try {
  const theme = localStorage.getItem("shm-sizer-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // No memory here: the browser's own choice stands.
}
