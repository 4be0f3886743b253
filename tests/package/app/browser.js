/** A page: both ways to use the engine and the element, under the server's policy. It reports to the server. */
import "faketensor/element";
import { answers } from "./answers.js";

const violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  violations.push(`${event.violatedDirective} ${event.blockedURI}`);
});

async function element() {
  const viewer = document.createElement("fake-tensor-viewer");
  const done = new Promise((resolve, reject) => {
    viewer.addEventListener("propagated", resolve, { once: true });
    viewer.addEventListener("error", (event) => reject(event.error));
  });
  viewer.setAttribute("src", "/model");
  document.body.append(viewer);
  const { detail } = await done;
  return (await detail.run.table()).length;
}

async function report() {
  try {
    const blob = await (await fetch("/model")).blob();
    return { ...(await answers(blob)), rows: await element(), violations };
  } catch (error) {
    return { error: `${error.name}: ${error.message}\n${error.stack}`, violations };
  }
}

await fetch("/result", { method: "POST", body: JSON.stringify(await report()) });
