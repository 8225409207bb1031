// Sphinx's scores, and more for pages that answer a question than for those that list everything.
const PAGES = [
  [/^explanation\/terms/, 10],
  [/^howto\//, 10],
  [/^tutorials\//, 9],
  [/^(explanation\/|generated\/(mechanisms|lessons|measures))/, 8],
  [/^generated\/(api|data|benchmarks)/, 0],
  [/^generated\/(command-line|settings|changes|contributing)|^project\//, -12],
];
const words = (text) => (text ?? "").toLowerCase().split(/[^\p{L}\p{N}-]+/u);
const asked = new Set(words(new URLSearchParams(location.search).get("q")));

var Scorer = {
  score: ([page, title, , , score]) => {
    const own = title.split(" > ").at(-1); // of a section, whose page stands before it
    const named = words(own).every((word) => asked.has(word)); // Joint, for "joint mechanism"
    return score + (PAGES.find(([name]) => name.test(page))?.[1] ?? 4) + (named ? 10 : 0);
  },
  objNameMatch: 30,
  objPartialMatch: 6,
  objPrio: { 0: 0, 1: 0, 2: -5 }, // a function's name counts as much as a title
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
