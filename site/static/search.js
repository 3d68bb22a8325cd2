"use strict";
const root = document.currentScript.src.replace(/search\.js$/, "");
const box = document.getElementById("search"), field = box.querySelector("input"), found = document.getElementById("found");
let pages;
const load = async () => pages ??= (async () => {
  const all = await (await fetch(root + "search.json")).json();
  for (const p of all) p.lower = p.text.toLowerCase();
  return all;
})();

// A page is worth more if words are in its title or a heading than in its text; each word
// has to be somewhere.
const rate = (page, words) => {
  const title = page.title.toLowerCase();
  let best, most = 0, score = 0;
  for (const word of words) {
    const inTitle = title.includes(word), inHeading = page.headings.some(h => h.title.toLowerCase().includes(word));
    const times = page.lower.split(word, 6).length - 1;
    if (!inTitle && !inHeading && times === 0) return null;
    score += (inTitle ? 20 : 0) + (inHeading ? 8 : 0) + times;
  }
  for (const h of page.headings) {
    const n = words.filter(w => h.title.toLowerCase().includes(w)).length;
    if (n > most) [most, best] = [n, h];
  }
  return {page, score, heading: best && best.title !== page.title ? best : null};
};
const snippet = (page, words) => {
  const p = document.createElement("p"), at = page.lower.indexOf(words.find(w => page.lower.includes(w)) || " ");
  const from = at < 50 ? 0 : page.text.indexOf(" ", at - 50) + 1, text = page.text.slice(from, at + 110);
  let rest = (from > 0 ? "…" : "") + text + "…";
  while (rest) {
    const next = words.map(w => [rest.toLowerCase().indexOf(w), w]).filter(([i]) => i >= 0).sort(([a], [b]) => a - b)[0];
    if (!next) break;
    const mark = document.createElement("mark");
    mark.textContent = rest.slice(next[0], next[0] + next[1].length);
    p.append(rest.slice(0, next[0]), mark);
    rest = rest.slice(next[0] + next[1].length);
  }
  p.append(rest);
  return p;
};
const show = async () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean), all = await load();
  if (words.join() !== field.value.toLowerCase().split(/\s+/).filter(Boolean).join()) return; // there are other words by now
  found.hidden = words.length === 0;
  const hits = all.map(p => rate(p, words)).filter(Boolean).sort((a, b) => b.score - a.score).slice(0, 12);
  found.replaceChildren(...hits.map(({page, heading}) => {
    const item = document.createElement("li"), link = document.createElement("a");
    link.href = root + page.address.slice(1) + (heading ? "#" + heading.id : "");
    link.textContent = page.title + (heading ? " › " + heading.title : "");
    item.append(link, snippet(page, words));
    return item;
  }));
  if (hits.length === 0) found.append(Object.assign(document.createElement("li"), {textContent: "Nothing has all these words."}));
};
field.addEventListener("focus", load, {once: true});
field.addEventListener("input", show);
addEventListener("keydown", e => {
  if (e.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
    e.preventDefault();
    field.focus();
  } else if (e.key === "Escape") {
    found.hidden = true;
  } else if (e.key === "Enter" && document.activeElement === field) {
    found.querySelector("a")?.click();
  }
});
addEventListener("click", e => { if (!box.contains(e.target)) found.hidden = true; });
const menu = document.querySelector(".menu");
if (menu && matchMedia("(min-width: 60.01rem)").matches) menu.open = true;
box.hidden = false;
