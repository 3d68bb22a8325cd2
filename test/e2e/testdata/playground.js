// Uses the playground in a frame as a person would. The test runs this as a function of input.
const seen = {};
const sleep = ms => new Promise(r => setTimeout(r, ms));
const open = async address => {
  const frame = document.createElement("iframe");
  frame.src = address;
  frame.style = "height: 900px; width: 1300px";
  document.body.append(frame);
  while (!frame.contentDocument?.body?.dataset.done) await sleep(20);
  const page = {window: frame.contentWindow, $: id => frame.contentDocument.getElementById(id)};
  page.after = async action => {
    const body = frame.contentDocument.body, done = body.dataset.done;
    action();
    while (body.dataset.done === done) await sleep(20);
  };
  page.type = (id, text) => page.after(() => {
    page.$(id).value = text;
    page.$(id).dispatchEvent(new Event("input"));
  });
  page.choose = mode => page.after(() => frame.contentDocument.querySelector(`[value=${mode}]`).click());
  page.result = () => [...page.$("output").querySelectorAll("span, ins")].map(e => e.textContent).join("\n");
  page.report = async name => {
    await page.after(() => page.$("tab-" + name).click());
    return page.$("page").srcdoc;
  };
  return page;
};
const page = await open("playground/");
seen.example = page.result();
seen.marked = [...page.$("output").querySelectorAll("ins")].map(e => e.textContent);
seen.impact = await page.report("impact");
await page.after(() => page.$("tab-result").click());
await page.after(() => page.$("all").click());
await page.type("manifests", input.manifests);
seen.rename = page.result();
seen.warnings = page.$("messages").textContent;
seen.graph = await page.report("graph");
await page.after(() => page.$("tab-result").click());
await page.choose("Annotate");
seen.annotate = page.result();

page.$("link").click();
while (!page.$("linked").textContent) await sleep(20);
const other = await open("playground/" + page.window.location.hash);
seen.linked = other.$("manifests").value;
seen.linkedConfig = other.$("functionConfig").value;

await page.type("manifests", input.broken);
seen.error = page.$("messages").textContent;
page.$("messages").querySelector("button").click();
const field = page.$("manifests");
seen.errorLine = field.value.slice(field.selectionStart, field.selectionEnd);

await page.type("manifests", input.manifests);
let last = performance.now();
seen.ticks = seen.longest = 0;
const timer = setInterval(() => {
  const now = performance.now();
  seen.ticks++;
  seen.longest = Math.max(seen.longest, now - last);
  last = now;
}, 50);
await page.after(() => {
  const clipboardData = new page.window.DataTransfer();
  clipboardData.setData("text", input.large);
  field.dispatchEvent(new page.window.ClipboardEvent("paste", {clipboardData, cancelable: true}));
});
clearInterval(timer);
seen.large = page.$("status").textContent;
return seen;
