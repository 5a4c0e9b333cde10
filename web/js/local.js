// A page that was opened as a file says so: browsers run no module and start no thread from files, so that the
// calculator cannot start. Hence a classic script.
if (location.protocol === "file:") document.getElementById("local").hidden = false;
