// Searches the pages in a frame. The test runs this as a function.
const frame = document.createElement("iframe");
frame.src = "docs/rename/";
document.body.append(frame);
await new Promise(r => { frame.onload = r; });
const page = frame.contentDocument, field = page.querySelector("#search input");
field.focus();
field.value = "keep earlier versions";
field.dispatchEvent(new Event("input"));
while (!page.querySelector("#found li")) await new Promise(r => setTimeout(r, 20));
const links = [...page.querySelectorAll("#found a")], root = document.baseURI.replace(/[^/]*$/, "");
return {found: links.map(a => a.textContent), addresses: links.map(a => a.href.replace(root, ""))};
