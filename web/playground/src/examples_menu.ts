/** The menu of examples, each with what to try on it. Loaded when it is opened for the first time. */
import { button, element } from "./dom.js";
import type { kExamples } from "./examples.js";

type Name = (typeof kExamples)[number];

const kTexts: Readonly<Record<Name, readonly [title: string, attempt: string]>> = {
  decoder: ["Two blocks of Llama 3 8B", "Set the batch to 16, then the dtype to bf16, and watch the peak."],
  vision: ["ResNet-18", "Set height and width to 256, and click the peak: what is alive then?"],
  llm: [
    "Decoder with dynamic sizes",
    "Set its length to 512..4096: bytes become ranges, and G lists what was decided.",
  ],
  diffusion: ["U-Net of a diffusion model", "Colour it by bytes, then set height and width to 128."],
  training: [
    "Forward and backward of a ViT",
    "Open the memory strip: activations pile up until backward takes them.",
  ],
  error: [
    "VGG fed images of another size",
    "Press E for the first error, read it, and set height and width to 224.",
  ],
};

export function showExamples(popup: HTMLElement, open: (name: Name) => void, howTo: () => void): void {
  const items = (Object.entries(kTexts) as [Name, (typeof kTexts)[Name]][]).map(
    ([name, [title, attempt]]) => {
      const item = button("", { class: "example" }, () => {
        open(name);
      });
      item.append(
        element("span", { class: "example-title" }, title),
        element("span", { class: "example-try" }, attempt),
      );
      return item;
    },
  );
  popup.replaceChildren(
    ...items,
    button("Your own model: how to get a .pt2", { class: "quiet-text" }, howTo),
  );
}
