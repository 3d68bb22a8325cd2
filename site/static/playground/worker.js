// Runs confighash away from the page, which stays responsive. A message names a function
// of cmd/playground and has the input; the answer has the same id.
"use strict";
importScripts("wasm_exec.js");
const go = new Go();
const ready = WebAssembly.instantiateStreaming(fetch("confighash.wasm"), go.importObject).then(({instance}) => {
  go.run(instance).then(() => postMessage({crashed: true}));
});
onmessage = async ({data: {id, name, input}}) => {
  try {
    await ready;
    postMessage({id, answer: confighash[name](input)});
  } catch (e) {
    postMessage({id, crashed: true, reason: String(e)});
  }
};
