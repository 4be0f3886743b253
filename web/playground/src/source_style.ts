/** The editor's styles in the source pane; those of the pane around it are styles/source.css. */
import { EditorView } from "@codemirror/view";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";

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
    ".cm-deletedChunk, &.cm-merge-a .cm-changedLine": { backgroundColor: "var(--error-fill)" },
    "&.cm-merge-b .cm-changedLine": {
      backgroundColor: "color-mix(in srgb, var(--series-6) 16%, transparent)",
    },
    ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '"…"' },
    ".cm-collapsedLines": { background: "var(--ground)", color: "var(--text-quiet)" },
    "&.cm-merge-a .cm-changedText, &.cm-merge-b .cm-changedText, .cm-deletedChunk .cm-deletedText": {
      background: "none",
    },
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
