/** Marks in the source pane what passes changed: loaded when some have run. */
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { Text, type EditorStateConfig, type Extension } from "@codemirror/state";

/** What stayed the same is folded. */
const options = {
  highlightChanges: false,
  collapseUnchanged: { margin: 3, minSize: 8 },
  diffConfig: { scanLimit: 500, timeout: 300 },
};

/** New lines are marked, and gone ones stand between them. */
export function changesSince(before: string): Extension {
  return unifiedMergeView({
    ...options,
    original: Text.of(before.split("\n")),
    mergeControls: false,
    syntaxHighlightDeletions: false,
  });
}

/** What was and what is in two columns, equal lines at equal heights. */
export function sideBySide(root: ShadowRoot, before: EditorStateConfig, after: EditorStateConfig): MergeView {
  const view = new MergeView({ ...options, a: before, b: after, parent: root, root });
  view.dom.style.height = "100%";
  return view;
}
