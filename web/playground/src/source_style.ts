/** The source pane's styles, which come with it: the shell has none of them. */
import { EditorView } from "@codemirror/view";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";

/** Of the pane in the page. The sheet is constructed: a policy needs no `style-src` for it. */
const kPaneStyle = `
.panes:has(> .source:not([hidden])) {
  grid-template-columns: 208px minmax(0, 5fr) minmax(0, 4fr) 288px;
  grid-template-areas:
    "outline source graph inspector" "symbols symbols symbols symbols" "assumptions assumptions assumptions assumptions"
    "problems problems problems problems";
}
.source { grid-area: source; border-right: 1px solid var(--line); }
.source[hidden] { display: none; }
.source-head { display: flex; flex: none; flex-wrap: wrap; gap: 2px 6px; align-items: center; min-height: 34px; padding: 0 8px 0 16px;
  border-bottom: 1px solid var(--line); }
.source-head h2 { height: auto; padding: 0; line-height: inherit; border: 0 !important; }
.source-status { flex: 1; min-width: 60px; overflow: hidden; color: var(--text-quiet); font-size: 12px; text-overflow: ellipsis; white-space: nowrap; }
.source-status.has-errors { color: var(--error); }
.source-head button, .source-passes button { flex: none; height: 26px; padding: 0 8px; font-size: 12px; }
.source-passes { display: flex; flex: none; flex-wrap: wrap; gap: 6px; align-items: center; padding: 6px 8px 6px 16px;
  border-bottom: 1px solid var(--line); background: var(--ground); font-size: 12px; }
.source-passes[hidden] { display: none; }
.source-passes input { flex: 1 1 160px; min-width: 0; height: 28px; padding: 0 8px; border: 1px solid var(--line-strong); border-radius: 6px;
  background: var(--panel); color: var(--text); font: 12px var(--mono); }
.source-passes select { flex: 0 1 150px; min-width: 0; height: 28px; border: 1px solid var(--line-strong); border-radius: 6px;
  background: var(--panel); color: var(--text); font-size: 12px; }
.source-passes p { flex: 1 0 100%; margin: 0; color: var(--text-quiet); overflow-wrap: anywhere; }
.source-passes p.has-errors { color: var(--error); white-space: pre-wrap; max-height: 120px; overflow: auto; }
.source-host { flex: 1; min-height: 0; overflow: hidden; }
@media (max-width: 1180px) and (min-width: 861px) {
  .panes:has(> .source:not([hidden])) { grid-template-columns: 0 minmax(0, 1fr) minmax(0, 1fr) 232px; }
  .panes:has(> .source:not([hidden])) > .outline { visibility: hidden; border: 0; }
}
@media (max-width: 860px) {
  .panes.panes:has(> .source:not([hidden])) { grid-template: minmax(0, 1fr) / minmax(0, 1fr); grid-template-areas: "pane"; }
  .panes > .source, .panes > .source:not([hidden]) { display: none; grid-area: pane; border: 0; }
  .panes[data-pane="source"] > .source:not([hidden]) { display: flex; }
}
@media (pointer: coarse) {
  .source-head button, .source-passes button, .source-passes input, .source-passes select { min-height: 44px; }
}
`;

let isAdopted = false;

export function adoptPaneStyle(): void {
  if (isAdopted) return;
  isAdopted = true;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(kPaneStyle);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

/** Of the editor: the page's palette, which its shadow tree inherits, so that light and dark are one theme. */
export const editorTheme = [
  EditorView.theme({
    "&": { height: "100%", backgroundColor: "var(--panel)", color: "var(--text)", fontSize: "12.5px" },
    "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
    ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
    ".cm-content": { caretColor: "var(--text)" },
    ".cm-cursor": { borderLeftColor: "var(--text)" },
    "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
      backgroundColor: "var(--accent-soft)",
    },
    ".cm-activeLine": { backgroundColor: "var(--hover)" },
    ".cm-gutters": {
      backgroundColor: "var(--panel)",
      color: "var(--text-quiet)",
      borderRight: "1px solid var(--line)",
    },
    ".cm-activeLineGutter": { backgroundColor: "var(--hover)", color: "var(--text)" },
    // Beside a line that is longer than the pane too.
    ".cm-shape": {
      position: "sticky",
      right: "0",
      marginLeft: "1.5ch",
      padding: "0 1ch",
      backgroundColor: "var(--panel)",
      color: "var(--text-quiet)",
      userSelect: "none",
    },
    ".cm-shape-error": { color: "var(--error)" },
    ".cm-node-line": { backgroundColor: "var(--accent-soft)" },
    ".cm-tooltip": {
      border: "1px solid var(--line-strong)",
      borderRadius: "8px",
      backgroundColor: "var(--panel)",
      color: "var(--text)",
      boxShadow: "var(--shadow)",
      maxWidth: "min(560px, 90vw)",
    },
    ".cm-value": {
      display: "grid",
      gap: "2px",
      padding: "8px 12px",
      fontSize: "12.5px",
      overflowWrap: "anywhere",
    },
    ".cm-value code": { fontFamily: "var(--mono)" },
    ".cm-value span": { color: "var(--text-quiet)" },
    ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "16em" },
    ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
      backgroundColor: "var(--accent)",
      color: "var(--accent-text)",
    },
    ".cm-tooltip.cm-completionInfo": { fontFamily: "var(--mono)", fontSize: "12px" },
    ".cm-panels": { backgroundColor: "var(--ground)", color: "var(--text)" },
    ".cm-textfield, .cm-button": {
      border: "1px solid var(--line-strong)",
      borderRadius: "6px",
      backgroundColor: "var(--panel)",
      backgroundImage: "none",
      color: "var(--text)",
    },
    ".cm-searchMatch": { backgroundColor: "var(--unknown-fill)" },
    ".cm-searchMatch-selected": { backgroundColor: "var(--flash)" },
    ".cm-deletedChunk": { backgroundColor: "var(--error-fill)" },
    "&.cm-merge-b .cm-changedLine": {
      backgroundColor: "color-mix(in srgb, var(--series-6) 16%, transparent)",
    },
    ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '"…"' },
    ".cm-collapsedLines": { background: "var(--ground)", color: "var(--text-quiet)" },
    "&.cm-merge-b .cm-changedText, .cm-deletedChunk .cm-deletedText": { background: "none" },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: [tags.keyword, tags.self, tags.bool, tags.null], color: "var(--dtype-half)" },
      { tag: [tags.string, tags.special(tags.string)], color: "var(--dtype-bool)" },
      { tag: [tags.number], color: "var(--dtype-double)" },
      { tag: [tags.comment], color: "var(--text-quiet)" },
      {
        tag: [tags.function(tags.variableName), tags.function(tags.propertyName)],
        color: "var(--dtype-float)",
      },
    ]),
  ),
];
