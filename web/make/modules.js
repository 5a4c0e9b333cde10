// What is in front of the modules that web/make/joined.py joins to one script: each is a function that runs when it
// is first used. A module gets `use` for its imports and `share` for what it exports; `bring` stands for import().

const modules = new Map(); // name -> function
const shared = new Map(); // name -> what it exports

const define = (name, run) => modules.set(name, run);

function use(name) {
  if (shared.has(name)) return shared.get(name);
  if (!modules.has(name)) throw new Error(`there is no ${name} in this file`);
  const exported = {};
  shared.set(name, exported);
  modules.get(name)(use, (more) => Object.assign(exported, more));
  return exported;
}

const bring = async (address) => use(address.split("/").at(-1));
