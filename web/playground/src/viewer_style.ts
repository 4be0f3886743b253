/** The element's own style sheet: the page's palette on its host, and the little that stands around the picture. */
import { kDark, kLight } from "./viewer_palette.js";

export const kViewerStyle = `
:host { ${kLight} }
@media (prefers-color-scheme: dark) { :host(:not([theme="light"])) { ${kDark} } }
:host([theme="dark"]) { ${kDark} }
:host {
  display: block; position: relative; contain: content; height: 480px; overflow: hidden;
  background: var(--canvas); color: var(--text); font: 13px/1.5 var(--ui);
}
:host([hidden]) { display: none; }
.stage { position: absolute; inset: 0; overflow: hidden; touch-action: none; }
.stage:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
canvas { display: block; width: 100%; height: 100%; }
canvas[hidden] { display: none; }
.tools { position: absolute; left: 8px; bottom: 8px; display: flex; gap: 4px; }
button {
  min-width: 28px; height: 28px; padding: 0 8px; border: 1px solid var(--line); border-radius: 6px;
  background: var(--panel); color: var(--text); font: inherit; cursor: pointer;
}
button:hover { background: var(--hover); }
button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.message {
  position: absolute; inset: 8px 8px auto; margin: 0; padding: 6px 12px; max-height: 40%; overflow: auto;
  border: 1px solid var(--line); border-radius: 8px; background: var(--panel);
}
.message[hidden] { display: none; }
.live { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
`;
