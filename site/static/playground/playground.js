"use strict";
const $ = id => document.getElementById(id);
const parts = ["manifests", "functionConfig", "before"];
const mostLines = 3000; // that the result shows
const mostEdited = 300_000; // characters: a browser takes seconds to lay out megabytes for editing
const longestLink = 1_000_000;

const functionConfig = mode => `apiVersion: confighash.dev/v1alpha1
kind: ConfigHash
metadata:
  name: roll-on-config-change
spec:
  mode: ${mode}
`;

// The worker. One that crashed is replaced, and what it had to do fails.
let worker, calls = new Map(), lastCall = 0;
const startWorker = () => {
  worker = new Worker("worker.js");
  worker.onmessage = ({data: {id, answer, crashed, reason}}) => {
    if (crashed) return replaceWorker(reason);
    calls.get(id)?.resolve(answer);
    calls.delete(id);
  };
  worker.onerror = e => replaceWorker(e.message);
};
const replaceWorker = reason => {
  worker.terminate();
  for (const c of calls.values()) c.reject(new Error(reason || "confighash stopped; the input may be too large for a browser"));
  calls.clear();
  startWorker();
};
const call = (name, input) => new Promise((resolve, reject) => {
  calls.set(++lastCall, {resolve, reject});
  worker.postMessage({id: lastCall, name, input});
});

// The input is in the fields, but for what is too large to be edited.
const large = {};
const readInput = () => Object.fromEntries(parts.map(p => [p, large[p] ?? $(p).value]));
const setPart = (p, text) => {
  const area = $(p);
  area.readOnly = text.length > mostEdited;
  if (area.readOnly) large[p] = text;
  else delete large[p];
  area.value = area.readOnly ? text.slice(0, 10_000) : text;
  area.nextElementSibling.hidden = !area.readOnly;
  area.nextElementSibling.firstChild.data = `These ${(text.length / 1e6).toFixed(1)} MB are too large to be edited here, and the field shows the beginning. `;
};

// What is shown follows the input. While the worker is busy, only the last change counts.
let answers = {}, dirty = false, running = false, tab = "result";
const changed = () => { answers = {}; update(); };
const update = async () => {
  dirty = true;
  if (running) return;
  running = true;
  while (dirty) {
    dirty = false;
    const slow = setTimeout(() => { $("status").textContent = "Working…"; document.body.classList.add("busy"); }, 200);
    try {
      await show();
    } catch (e) {
      failed([{part: "", text: e.message}]);
    }
    clearTimeout(slow);
  }
  running = false;
  document.body.classList.remove("busy");
  document.body.dataset.done = Number(document.body.dataset.done || 0) + 1; // for the tests
};
const show = async () => {
  const input = readInput(), known = answers;
  const ask = async name => known[name] ??= await call(name, input);
  const wanted = tab === "impact" && !input.before.trim() ? "" : tab;
  const processed = await ask("process");
  const report = processed.errors || wanted === "" || wanted === "result" ? {} : await ask(wanted);
  if (known !== answers) return; // there is other input by now
  if (processed.errors) return failed(processed.errors);
  $("status").textContent = processed.summary || "Done";
  const idle = processed.idle ? [{severity: "info", text: processed.idle}] : [];
  showMessages([...(report.errors || []).map(e => ({...e, severity: "error"})), ...idle, ...processed.messages]);
  $("tabs").hidden = false;
  $("result").hidden = tab !== "result";
  $("framed").hidden = tab === "result";
  $("hint").hidden = wanted !== "";
  $("page").hidden = !report.page;
  if (tab === "result") showResult(input.manifests, processed.output);
  else if (report.page && $("page").srcdoc !== report.page) $("page").srcdoc = report.page;
};
const failed = errors => {
  $("status").textContent = "No result";
  showMessages(errors.map(e => ({...e, severity: "error"})));
  for (const id of ["tabs", "result", "framed"]) $(id).hidden = true;
};

const element = (name, text, cls) => {
  const e = document.createElement(name);
  e.textContent = text;
  if (cls) e.className = cls;
  return e;
};
const showMessages = messages => {
  $("messages").replaceChildren(...messages.slice(0, 200).map(m => {
    const item = element("li", "", m.severity);
    if (m.severity !== "info") item.append(element("b", m.severity), ": ");
    if (m.part && m.part !== "manifests" && !m.text.startsWith(m.part + ":")) item.append(m.part === "before" ? "Before the change: " : m.part + ": ");
    item.append(m.text);
    const line = m.part && !large[m.part] && /\bline (\d+)/.exec(m.text);
    if (line) {
      const button = element("button", "Show line " + line[1]);
      button.onclick = () => selectLine($(m.part), Number(line[1]));
      item.append(button);
    }
    return item;
  }));
  if (messages.length > 200) $("messages").append(element("li", `${messages.length - 200} more messages are not listed`, "info"));
};
const selectLine = (area, n) => {
  area.closest("details")?.setAttribute("open", "");
  const lines = area.value.split("\n"), start = lines.slice(0, n - 1).join("\n").length + (n > 1 ? 1 : 0);
  area.focus();
  area.setSelectionRange(start, start + (lines[n - 1] || "").length);
  area.scrollTop = (n - 4) * area.scrollHeight / lines.length;
};

// apart returns how many lines of a from i on, and of b from j on, differ.
const apart = (a, i, b, j) => {
  for (let sum = 1; sum <= 200; sum++) {
    for (let n = 0; n <= sum; n++) if (a[i + n] === b[j + sum - n]) return [n, sum - n];
  }
  return [Math.min(1, a.length - i), Math.min(1, b.length - j)];
};
// resultLines returns the lines of the output as [element, text], with those that went
// before those that came: all, or those that changed with three around them. It stops after
// one more than are shown at most.
const resultLines = (input, output, all) => {
  const [a, b] = [input, output].map(text => text.split("\n")), lines = [];
  let i = 0, j = 0, before = [], gap = false, after = 0;
  while ((i < a.length || j < b.length) && lines.length <= mostLines) {
    if (a[i] === b[j]) {
      if (all || after-- > 0) lines.push(["span", b[j]]);
      else if (before.push(b[j]) > 3) { before.shift(); gap = true; }
      i++;
      j++;
      continue;
    }
    const [went, came] = apart(a, i, b, j);
    if (gap && lines.length > 0) lines.push(["hr", ""]);
    for (const line of before) lines.push(["span", line]);
    for (const end = i + went; i < end; i++) lines.push(["del", a[i]]);
    for (const end = j + came; j < end; j++) lines.push(["ins", b[j]]);
    before = [];
    gap = false;
    after = 3;
  }
  return lines;
};
const showResult = (input, output) => {
  const lines = resultLines(input, output, $("all").checked);
  if (lines.length === 0) lines.push(["span", output ? "Nothing changed" : "There are no manifests"]);
  $("output").replaceChildren(...lines.slice(0, mostLines).map(([name, text]) => element(name, text)));
  $("more").hidden = lines.length <= mostLines;
  $("more").textContent = `These are the first ${mostLines} lines. Copy and Download have the whole result.`;
};

// The mode is what the functionConfig says.
const modeLine = /^(\s+mode:\s*)(\w+)/m;
const showMode = () => {
  const mode = modeLine.exec($("functionConfig").value)?.[2];
  for (const e of document.querySelectorAll("input[name=mode]")) e.checked = e.value === mode;
};
const setInput = input => {
  for (const p of parts) setPart(p, input[p] || "");
  const narrow = matchMedia("(max-width: 60rem)").matches; // the result is below the input
  $("functionConfig").closest("details").open = !narrow;
  $("before").closest("details").open = !narrow && !!input.before;
  showMode();
  changed();
};

const examples = {change: "Rename", keys: "Annotate", shop: "Rename", chart: "Annotate", warnings: "Rename"};
const withBefore = ["change", "keys"];
const loadExample = async name => {
  const read = async file => (await fetch(`examples/${file}.yaml`)).text();
  const [manifests, before] = await Promise.all([read(name), withBefore.includes(name) ? read(name + ".before") : ""]);
  $("example").value = name;
  setInput({manifests, before, functionConfig: functionConfig(examples[name])});
};

// A link carries the input after its #, which browsers send to nobody.
const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
const pack = async input => {
  const bytes = await through(JSON.stringify(input), new CompressionStream("deflate-raw"));
  let text = "";
  for (const b of bytes) text += String.fromCharCode(b);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};
const unpack = async packed => {
  const bytes = Uint8Array.from(atob(packed.replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"))));
};
const copyText = text => navigator.clipboard.writeText(text).then(() => true, () => false);
const copyLink = async () => {
  const packed = await pack(readInput());
  if (packed.length > longestLink) return void ($("linked").textContent = "This is too much for a link.");
  history.replaceState(null, "", "#input=" + packed);
  const copied = await copyText(location.href);
  $("linked").textContent = (copied ? "Copied." : "The link is in the address bar.") + " It holds all that you pasted, Secrets too.";
};
const fromFragment = async () => {
  const hash = new URLSearchParams(location.hash.slice(1)), packed = hash.get("input");
  if (packed) {
    try {
      $("example").value = "";
      return setInput(await unpack(packed));
    } catch {
      $("linked").textContent = "The link is damaged, so this is an example.";
    }
  }
  await loadExample(Object.hasOwn(examples, hash.get("example")) ? hash.get("example") : "change");
};

const choose = name => {
  tab = name;
  for (const e of $("tabs").children) {
    e.ariaSelected = e.id === "tab-" + name;
    e.tabIndex = e.id === "tab-" + name ? 0 : -1;
  }
  $("framed").setAttribute("aria-labelledby", "tab-" + name);
  update();
};
$("tabs").onclick = e => { if (e.target.role === "tab") choose(e.target.id.slice(4)); };
$("tabs").onkeydown = e => {
  const step = {ArrowLeft: -1, ArrowRight: 1}[e.key], all = [...$("tabs").children];
  if (!step) return;
  const next = all[(all.indexOf(e.target) + step + all.length) % all.length];
  next.focus();
  choose(next.id.slice(4));
};
let typing;
for (const p of parts) {
  const edited = () => {
    $("example").value = $("linked").textContent = "";
    if (p === "functionConfig") showMode();
    clearTimeout(typing);
    typing = setTimeout(changed, 250);
  };
  $(p).oninput = edited;
  $(p).onpaste = e => {
    const text = e.clipboardData.getData("text");
    if (text.length <= mostEdited && !$(p).readOnly) return;
    e.preventDefault();
    setPart(p, text);
    edited();
  };
  const note = element("p", " ", "large"), clear = element("button", "Clear");
  clear.onclick = () => { setPart(p, ""); edited(); };
  note.append(clear);
  note.hidden = true;
  $(p).after(note);
}
for (const e of document.querySelectorAll("input[name=mode]")) e.onchange = () => {
  const text = $("functionConfig").value;
  $("functionConfig").value = modeLine.test(text) ? text.replace(modeLine, "$1" + e.value) : functionConfig(e.value);
  changed();
};
$("example").onchange = e => {
  history.replaceState(null, "", location.pathname);
  $("linked").textContent = "";
  loadExample(e.target.value);
};
$("all").onchange = update;
$("link").onclick = copyLink;
$("copy").onclick = async e => {
  e.target.textContent = await copyText(answers.process.output) ? "Copied" : "Not copied";
  setTimeout(() => { e.target.textContent = "Copy"; }, 2000);
};
$("download").onclick = () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([answers.process.output], {type: "application/yaml"}));
  link.download = "manifests.yaml";
  link.click();
  URL.revokeObjectURL(link.href);
};
addEventListener("hashchange", fromFragment);
startWorker();
fromFragment();
