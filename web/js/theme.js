// Runs before the first paint, as a classic script: who chose dark must not see a white page first.
try {
  const theme = localStorage.getItem("shm-sizer-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // No memory here: the browser's own choice stands.
}
