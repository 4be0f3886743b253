/** Marks in the source pane what passes changed: loaded when some have run. */
import { unifiedMergeView } from "@codemirror/merge";
import { Text, type Extension } from "@codemirror/state";

/** New lines are marked, gone ones stand between them, and what stayed the same is folded. */
export function changesSince(before: string): Extension {
  return unifiedMergeView({
    original: Text.of(before.split("\n")),
    mergeControls: false,
    highlightChanges: false,
    syntaxHighlightDeletions: false,
    collapseUnchanged: { margin: 3, minSize: 8 },
    diffConfig: { scanLimit: 500, timeout: 300 },
  });
}
