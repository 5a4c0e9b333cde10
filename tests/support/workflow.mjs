// Reads a workflow with GitHub's own parser and prints what its job comes to, expressions evaluated.
// Arguments: the folder of the npm packages, the file.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// The parser imports JSON as bundlers do; Node wants to be told.
registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith(".json") ? { ...context, importAttributes: { type: "json" } } : context),
});

const [folder, file] = process.argv.slice(2);
const load = (...path) => import(pathToFileURL(join(folder, ...path)).href);
const actions = await load("@actions", "workflow-parser", "dist", "index.js");
const { Evaluator, Lexer, Parser, data } = await load("@actions", "expressions", "dist", "index.js");

/** The text of a value, as a runner would see it where no context has anything to give. */
function evaluate(value) {
  if (value?.expr === undefined) return String(value);
  const { tokens } = new Lexer(value.expr).lex();
  // The package undoes only the first doubled quote of a text; a runner undoes each of them.
  for (const token of tokens)
    if (token.lexeme.startsWith("'")) token.value = token.lexeme.slice(1, -1).replaceAll("''", "'");
  const tree = new Parser(tokens, [], []).parse();
  return new Evaluator(tree, new data.Dictionary()).evaluate().coerceString();
}

const content = readFileSync(file, "utf-8");
const parsed = actions.parseWorkflow({ name: "workflow.yaml", content }, new actions.NoOperationTraceWriter());
const workflow = await actions.convertWorkflowTemplate(parsed.context, parsed.value);
const errors = parsed.context.errors.getErrors().map((error) => error.message);
const answer = { errors };
if (!errors.length) {
  const [job] = workflow.jobs;
  const container = job.container ? JSON.parse(JSON.stringify(job.container)).map : [];
  answer.container = Object.fromEntries(container.map(({ Key, Value }) => [Key, evaluate(Value)]));
  answer.runs = job.steps.filter((step) => step.run).map((step) => evaluate(JSON.parse(JSON.stringify(step.run))));
}
console.log(JSON.stringify(answer));
