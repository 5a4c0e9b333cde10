// The page on paper: all of it brought up to date, its folds open, and where it can be found.

const PATIENCE_MS = 20_000; // then it is printed without what is still old
const FOLDS = ":is([data-part]:not(form), #chosen) details:not([open])";

let address = () => location.href;
let opened = []; // folds that are open for the paper only

/**
 * @param {() => Promise<void>} whole brings everything up to date that is printed
 * @param {() => string} here the address of what stands on the page
 */
export function start(whole, here) {
  address = here;
  const button = document.getElementById("print");
  button.hidden = false;
  button.addEventListener("click", async () => {
    await Promise.race([whole(), new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
    print();
  });
  addEventListener("beforeprint", prepare);
  addEventListener("afterprint", restore);
}

function prepare() {
  const here = document.getElementById("here");
  here.href = here.textContent = address();
  opened.push(...document.querySelectorAll(FOLDS));
  for (const fold of opened) fold.open = true;
}

function restore() {
  for (const fold of opened) fold.open = false;
  opened = [];
}
