// Find the sections that have the rarest of the words typed, first those that have them in a heading.
const WEIGHTS = [ // pages that answer a question before those that list everything
  [/^(howto|explanation|tutorials)\//, 1.6],
  [/^generated\/(command-line|settings|changes|contributing|benchmarks|data)|^project\//, 0.5],
  [/^generated\/api\//, 0.6],
];
const ALIKE = [ // words that people type for one another
  "epsilon ε", "delta δ", "rho ρ", "person people user individual", "error wrong accurate", "algorithm mechanism",
  "undo withdraw", "quiz predict exercise", "implement own add register", "measure metric",
  "dataset data", "load read upload", "save export download", "fast slow speed time", "plot chart figure",
  "reproduce repeat", "host server deploy", "guarantee promise", "smallest minimum",
  "right correct",
];
const COMMON = "can get make many mean much need new show use want will"; // of questions, not of answers
const SHOWN = 20;

const stemmer = new Stemmer();
const stems = new Map();
const stem = (word) => {
  if (!stems.has(word)) stems.set(word, stemmer.stemWord(word.replace("our", "or")));
  return stems.get(word);
};
const alike = new Map(ALIKE.flatMap((line) => line.split(" ").map((word) => [stem(word), stem(line.split(" ")[0])])));
const wordsOf = (text) =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    .filter((word) => !stopwords.has(word))
    .map((word) => alike.get(stem(word)) ?? stem(word));
const common = new Set(wordsOf(COMMON));

const sections = SECTIONS.map(([page, anchor, title, heading, text]) => {
  const counts = new Map();
  const words = wordsOf(text);
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weight = WEIGHTS.find(([name]) => name.test(page))?.[1] ?? 1;
  const head = new Set(wordsOf(heading || title));
  const above = new Set(wordsOf(title));
  return { page, anchor, title, heading, text, weight, counts, length: words.length, head, above };
});
const mean = sections.reduce((sum, { length }) => sum + length, 0) / sections.length;

// Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, equation 3.15;
// multiplied by how much of the question is there, since most words of a sentence are common.
const relevance = ({ counts, length, head, above, weight }, asked, rarity) => {
  let sum = 0;
  let there = 0;
  for (const word of asked) {
    const times = counts.get(word) ?? 0;
    const inText = (2.2 * times) / (times + 1.2 * (0.25 + (0.75 * length) / mean));
    if (times || head.has(word)) there += rarity.get(word);
    sum += rarity.get(word) * (inText + (4 * head.has(word)) / Math.sqrt(head.size) + 0.5 * above.has(word));
  }
  return weight * sum * Math.sqrt(there);
};

function search(query) {
  const asked = [...new Set(wordsOf(query))];
  const has = (word) => sections.filter(({ counts, head }) => counts.has(word) || head.has(word)).length;
  const share = (word) => (common.has(word) ? 0.4 : 1) * Math.log(1 + sections.length / (has(word) + 0.5));
  const rarity = new Map(asked.map((word) => [word, share(word)]));
  return sections
    .map((section) => ({ ...section, score: relevance(section, asked, rarity) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, SHOWN);
}

function shown({ page, anchor, title, heading, text }, asked) {
  const link = document.createElement("a");
  link.href = `${page}.html${anchor}`;
  link.textContent = heading ? `${title} › ${heading}` : title;
  const at = Math.min(...asked.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0));
  const from = Number.isFinite(at) ? Math.max(0, at - 60) : 0;
  const context = document.createElement("p");
  context.className = "context";
  context.textContent = `${from ? "… " : ""}${text.slice(from, from + 200)}${text.length > from + 200 ? " …" : ""}`;
  const item = document.createElement("li");
  item.append(link, context);
  return item;
}

const query = new URLSearchParams(location.search).get("q") ?? "";
document.querySelectorAll("input[name=q]").forEach((box) => (box.value = query));
const found = search(query);
document.getElementById("search-status").textContent = found.length
  ? `The ${found.length} sections that fit “${query}” best:`
  : `Nothing on the site has a word of “${query}”.`;
document.getElementById("search-results").append(...found.map((section) => shown(section, wordsOf(query))));
