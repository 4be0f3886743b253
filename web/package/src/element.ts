/**
 * `faketensor/element` defines `<fake-tensor-viewer src="model.pt2">`: the picture of a program, which pans, zooms, opens its
 * modules and follows what-ifs. The engine runs in a worker. Attributes and properties: `src` or `graph` (a property),
 * `dims` (`'{"batch": 4}'`), `dtype`, `device`, `target`; `theme` is `light`, `dark`, or the system's. Events:
 * `propagated`, `nodeselect`, `error`. Methods: `select(name)`, `exportReport()`.
 */
import { FakeTensorViewer, type NodeSelectDetail, type PropagatedDetail } from "./viewer.js";

export { FakeTensorViewer };
export type { NodeSelectDetail, PropagatedDetail, ViewerGraph } from "./viewer.js";

customElements.define("fake-tensor-viewer", FakeTensorViewer);

declare global {
  interface HTMLElementTagNameMap {
    "fake-tensor-viewer": FakeTensorViewer;
  }
  interface HTMLElementEventMap {
    nodeselect: CustomEvent<NodeSelectDetail>;
    propagated: CustomEvent<PropagatedDetail>;
  }
}
