/** Has the page kept for use without a network, once it shows something, and tells when a newer one was fetched. */
import { element } from "./dom.js";

/** What service_worker.ts is asked. */
const kTakeOver = "take over";

/** `renewed`: a newer version is here; what it is handed shows that. */
export function keepOffline(renewed: (show: () => void) => void): void {
  // Typed as always there; not so where a page is not secure, or the browser keeps nothing.
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (workers === undefined) return;
  const frame = element("iframe", { src: "offline.html", title: "Offline", hidden: true });
  window.addEventListener("message", ({ source }) => {
    if (source === frame.contentWindow) frame.remove();
  });
  document.body.append(frame);
  const wasKept = workers.controller !== null;
  void workers.ready.then((registration) => {
    const tell = (): void => {
      renewed(() => {
        workers.addEventListener("controllerchange", () => {
          location.reload();
        });
        registration.waiting?.postMessage(kTakeOver);
      });
    };
    if (registration.waiting !== null) tell();
    registration.addEventListener("updatefound", () => {
      const worker = registration.installing;
      worker?.addEventListener("statechange", () => {
        if (worker.state === "installed" && wasKept) tell();
      });
    });
  });
}
