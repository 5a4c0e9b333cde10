// In:  {rules, files: [PATH]} as JSON.   Out: a list of what is wrong, in words.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename } from "node:path";

const packages = process.argv[2];
const { HtmlValidate, StaticConfigLoader } = createRequire(`${packages}/`)("html-validate/browser");
const { rules, files } = JSON.parse(readFileSync(0, "utf8"));
const config = { root: true, extends: ["html-validate:recommended", "html-validate:a11y"], rules };
const checker = new HtmlValidate(new StaticConfigLoader(config));

const found = [];
for (const file of files) {
  const { results } = await checker.validateString(readFileSync(file, "utf8"), file);
  for (const { line, ruleId, message } of results.flatMap((result) => result.messages)) {
    found.push(`${basename(file)}:${line} ${ruleId}: ${message}`);
  }
}
console.log(JSON.stringify(found));
