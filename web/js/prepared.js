// Answers that stand ready, as files beside the workloads' pages, for as long as the engine is not up.

/**
 * @param {HTMLAnchorElement} link to a workload's page
 * @returns {Promise<object>} what the engine answers for the workload; nothing in place of the function where no
 *   such files are (web/onefile/prepared.js)
 */
export async function prepared(link) {
  const response = await fetch(link.href.replace(/\.html$/, ".json"));
  if (!response.ok) throw new Error(response.statusText);
  return response.json();
}
