/**
 * The page in a frame of its own that registers the service worker (offline/). The policy of the page itself lets it start
 * no worker from an address, so that none runs without a policy; this frame's policy lets it do only that.
 */
navigator.serviceWorker
  .register("service-worker.js")
  .catch(() => undefined) // forbidden, or no room: the page needs a network then
  .finally(() => {
    parent.postMessage("registered", location.origin);
  });
