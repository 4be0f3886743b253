/** The element outside of a browser: with as much of a page as it touches, it frees what it no longer shows. */
import assert from "node:assert/strict";
import { after, it } from "node:test";
import { Worker } from "node:worker_threads";
import { bytesOf, classifierPath } from "./helper.js";

class PageElement extends EventTarget {
  #attributes = new Map();
  content = [];
  isConnected = true;
  attachShadow() {
    return this;
  }
  replaceChildren(...content) {
    this.content = content;
  }
  append(...content) {
    this.content.push(...content);
  }
  getAttribute(name) {
    return this.#attributes.get(name) ?? null;
  }
  setAttribute(name, value) {
    this.#attributes.set(name, value);
    this.attributeChangedCallback?.();
  }
  createTHead() {
    return this.insertRow();
  }
  createTBody() {
    return this.insertRow();
  }
  insertRow() {
    const row = new PageElement();
    this.append(row);
    return row;
  }
}

let define;
const defined = new Promise((resolve) => (define = resolve));
Object.assign(globalThis, {
  HTMLElement: PageElement,
  CSSStyleSheet: class {
    replaceSync() {}
  },
  customElements: { define: (_, element) => define(element) },
  document: { createElement: () => new PageElement() },
  ErrorEvent: class extends Event {
    constructor(type, { message }) {
      super(type);
      this.message = message;
    }
  },
  fetch: async () => new Response(bytesOf(classifierPath)),
});

/** Every call to the worker; the first is refused. */
const calls = [];
const post = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (message) {
  calls.push(message.call);
  if (calls.length === 1) throw new TypeError("the first worker cannot be reached");
  return post.call(this, message);
};
after(() => {
  Worker.prototype.postMessage = post;
});

await import("faketensor/element");
const Viewer = await defined;

function next(viewer) {
  return new Promise((resolve) => {
    for (const type of ["run", "error"]) viewer.addEventListener(type, resolve, { once: true });
  });
}

const count = (call) => calls.filter((made) => made === call).length;
const settled = () => new Promise((resolve) => setTimeout(resolve, 50));

it("tries the engine again, and frees what is replaced or removed", async () => {
  const viewer = new Viewer();
  viewer.setAttribute("src", "/model");
  const { type, message } = await next(viewer);
  assert.deepEqual([type, message], ["error", "the first worker cannot be reached"]);

  for (const batch of [2, 3, 4]) {
    viewer.setAttribute("dims", JSON.stringify({ batch }));
    assert.equal((await next(viewer)).type, "run");
  }
  await settled();
  assert.deepEqual([count("closeProgram"), count("closeRun")], [2, 2]);
  viewer.disconnectedCallback();
  await settled();
  assert.deepEqual([count("closeProgram"), count("closeRun")], [3, 3]);
});
