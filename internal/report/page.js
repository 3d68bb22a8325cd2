const input = document.getElementById("filter"), found = document.getElementById("found");
const show = () => {
  const by = document.querySelector("input[name=by]:checked");
  for (const e of document.querySelectorAll("[data-by]")) e.hidden = e.dataset.by !== by.value;
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (e, more = "") => { const text = (e.textContent + " " + more).toLowerCase(); return words.every(w => text.includes(w)); };
  let n = 0, all = 0;
  for (const e of document.querySelectorAll(".item")) {
    e.hidden = !has(e);
    if (!e.parentElement.closest("[data-by][hidden]")) { all++; if (!e.hidden) n++; }
  }
  const boxes = [...document.querySelectorAll(".box")], match = boxes.map(e => has(e, e.dataset.all)), lit = [...match];
  for (const e of document.querySelectorAll(".arrow")) { // what an arrow connects with a box that is found stays lit
    const ends = e.dataset.ends.split(" "), on = ends.some(i => match[i]);
    if (on) for (const i of ends) lit[i] = true;
    e.classList.toggle("dim", !on);
  }
  boxes.forEach((e, i) => e.classList.toggle("dim", !lit[i]));
  for (const e of document.querySelectorAll("details")) { // what the filter opens it closes again
    const open = words.length && (e.closest(".item") ? has(e) : e.querySelector(".item:not([hidden])"));
    if (open && !e.open) e.open = e.dataset.opened = true;
    else if (!open && e.dataset.opened) { e.open = false; delete e.dataset.opened; }
  }
  found.textContent = words.length ? n + " of " + all : "";
};
const fromHash = () => {
  const hash = new URLSearchParams(location.hash.slice(1)), by = hash.get("by");
  input.value = hash.get("filter") || "";
  for (const e of document.querySelectorAll("input[name=by]")) if (e.value === by) e.checked = true;
  show();
};
document.getElementById("search").hidden = false;
input.addEventListener("input", show);
for (const e of document.querySelectorAll("input[name=by]")) e.addEventListener("change", show);
addEventListener("hashchange", fromHash);
fromHash();
