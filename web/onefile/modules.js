// What is in front of the modules that web/make/joined.py joins to one script: each is a function that runs when it
// is first used. A module gets `use` for its imports and `share` for what it exports; `bring` stands for import().

const modules = new Map();
const shared = new Map();

const define = (name, run) => modules.set(name, run);

function use(name) {
  if (!modules.has(name)) throw new Error(`there is no ${name} in this file`);
  if (!shared.has(name)) {
    shared.set(name, {});
    modules.get(name)(use, (exported) => Object.assign(shared.get(name), exported));
  }
  return shared.get(name);
}

const bring = async (address) => use(address.split("/").at(-1));
