/** How a model becomes a file that this page opens: the dialog with the lines of Python. Loaded when it is asked for. */
import { button, element } from "./dom.js";

const kLines = `import torch
shapes = ({0: torch.export.Dim("batch")},)  # sizes that may change, by input; or None
program = torch.export.export(model.eval(), (x,), dynamic_shapes=shapes)
torch.export.save(program, "model.pt2")
`;

const kCopiedFor = 1600;

export function showHowTo(): void {
  const copy = button("Copy", { class: "quiet" }, () => {
    navigator.clipboard.writeText(kLines).then(
      () => {
        copy.textContent = "Copied";
        setTimeout(() => (copy.textContent = "Copy"), kCopiedFor);
      },
      () => {
        // Not allowed: the lines can be selected and copied by hand.
        getSelection()?.selectAllChildren(code);
      },
    );
  });
  const code = element("pre", { class: "block", tabindex: 0, "aria-label": "Python" }, kLines);
  const dialog = element(
    "dialog",
    { "aria-labelledby": "how-to-title" },
    element("h2", { id: "how-to-title" }, "How to get a .pt2"),
    element("p", {}, "Where the model runs, with PyTorch 2.3 or later:"),
    code,
    element(
      "p",
      {},
      "Then open or drop model.pt2 here. Weights are not read; it never leaves your machine. A model too large for memory exports under ",
      element("code", {}, "with torch._subclasses.FakeTensorMode():"),
      ", where no weight is allocated.",
    ),
    element(
      "p",
      {},
      "TorchScript, ONNX, safetensors, GGUF and checkpoints hold no program of this kind: load them into their model in Python, and export that.",
    ),
    element("form", { method: "dialog" }, copy, " ", element("button", { class: "primary" }, "Close")),
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
}
