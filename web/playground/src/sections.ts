/** The parts that the inspector's texts are built of. */
import { element } from "./dom.js";
import { countText } from "./format.js";

export function heading(title: string, subtitle: string): HTMLElement {
  return element(
    "header",
    { class: "inspector-head" },
    element("h3", {}, title),
    element("p", { class: "subtitle" }, subtitle),
  );
}

export function section(title: string, content: HTMLElement): HTMLElement {
  return element("section", {}, element("h4", {}, title), content);
}

export function definitions(facts: readonly (readonly [string, string | Node])[]): HTMLElement {
  const list = element("dl");
  for (const [term, fact] of facts)
    list.append(element("div", {}, element("dt", {}, term), element("dd", {}, fact)));
  return list;
}

export function countList(counts: readonly (readonly [string, number])[]): HTMLElement {
  const list = element("ul", { class: "counts" });
  for (const [name, count] of counts) {
    list.append(
      element("li", {}, element("code", {}, name), element("span", { class: "count" }, countText(count))),
    );
  }
  return list;
}

export function mono(text: string): HTMLElement {
  return element("span", { class: "mono" }, text);
}
