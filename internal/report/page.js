const input = document.getElementById("filter"), found = document.getElementById("found");
const show = () => {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (e, more = "") => { const text = (e.textContent + " " + more).toLowerCase(); return words.every(w => text.includes(w)); };
  const items = [...document.querySelectorAll(".item")];
  for (const e of items) e.hidden = !has(e);
  for (const picture of document.querySelectorAll(".picture")) {
    const match = {}, lit = {};
    for (const e of picture.querySelectorAll(".box")) lit[e.dataset.box] = match[e.dataset.box] = has(e, e.dataset.all);
    for (const e of picture.querySelectorAll(".arrow")) { // what an arrow connects with a box that is found stays lit
      const {from, to} = e.dataset, on = match[from] || match[to];
      if (on) lit[from] = lit[to] = true;
      e.classList.toggle("dim", !on);
    }
    for (const e of picture.querySelectorAll(".box")) e.classList.toggle("dim", !lit[e.dataset.box]);
  }
  for (const e of document.querySelectorAll("details")) { // what the filter opens it closes again
    const open = words.length && (e.closest(".item") ? has(e) : e.querySelector(".item:not([hidden])"));
    if (open && !e.open) e.open = e.dataset.opened = true;
    else if (!open && e.dataset.opened) { e.open = false; delete e.dataset.opened; }
  }
  found.textContent = words.length ? items.filter(e => !e.hidden).length + " of " + items.length : "";
};
const fromHash = () => {
  input.value = new URLSearchParams(location.hash.slice(1)).get("filter") || "";
  show();
};

// arrowsOf returns the arrows of a picture with their boxes and where these are in it.
const arrowsOf = picture => {
  const base = picture.querySelector("svg").getBoundingClientRect(), boxes = {};
  for (const e of picture.querySelectorAll(".box")) {
    const at = e.getBoundingClientRect();
    boxes[e.dataset.box] = {e, left: at.left - base.left, right: at.right - base.left, top: at.top - base.top, height: at.height};
  }
  return [...picture.querySelectorAll(".arrow")].map(e => ({e, from: boxes[e.dataset.from], to: boxes[e.dataset.to]}));
};
// arrange moves boxes next to those that arrows connect them with.
const arrange = picture => {
  for (let round = 0; round < 6; round++) {
    for (const column of picture.querySelectorAll(".column")) {
      const near = new Map();
      for (const {from, to} of arrowsOf(picture)) {
        for (const [a, b] of [[from, to], [to, from]]) near.set(a.e, [...near.get(a.e) || [], b.top + b.height / 2]);
      }
      const mean = e => near.get(e).reduce((a, b) => a + b) / near.get(e).length;
      column.append(...[...column.children].sort((a, b) => mean(a) - mean(b)));
    }
  }
};
// draw draws the arrows. Those that begin or end at a box do so at different places of its
// side, in the order of the boxes at their other ends.
const draw = picture => {
  const arrows = arrowsOf(picture);
  for (const [side, other, y] of [["from", "to", "start"], ["to", "from", "end"]]) {
    for (const a of arrows) {
      const all = arrows.filter(b => b[side] === a[side]).sort((b, c) => b[other].top - c[other].top);
      a[y] = a[side].top + a[side].height * (all.indexOf(a) + 0.5) / all.length;
    }
  }
  for (const {e, from, to, start, end} of arrows) {
    const x = from.right, w = to.left - x;
    e.firstChild.setAttribute("d", `M${x} ${start}C${x + w / 3} ${start} ${x + w / 3} ${end} ${x + w / 2} ${end}H${to.left}`);
    e.lastChild.setAttribute("x", to.left - 12);
    e.lastChild.setAttribute("y", end - 3);
  }
};

document.getElementById("search").hidden = false;
input.addEventListener("input", show);
addEventListener("hashchange", fromHash);
fromHash();
for (const picture of document.querySelectorAll(".picture")) {
  arrange(picture);
  draw(picture); // an observer waits for a frame, and a page that is saved or printed may have none
  new ResizeObserver(() => draw(picture)).observe(picture);
}
