// Where the page's modules have not run, it says why. Hence a classic script; it comes after them in the page.

if (location.protocol === "file:") {
  document.getElementById("local").hidden = false; // browsers run no module and start no thread from files
  document.documentElement.classList.remove("scripted");
} else if (document.getElementById("tastes").hidden) {
  const words = "A part of this page has not arrived, so the form does not answer. What stands here is right for this workload.";
  document.getElementById("failure-text").textContent = words;
  document.getElementById("failure").hidden = false;
  document.getElementById("retry").addEventListener("click", () => location.reload());
  document.documentElement.classList.remove("scripted");
}
