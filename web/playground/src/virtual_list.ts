/** High enough for a finger, in pixels. */
const kForFingers = 44;

/**
 * A scrolled list that keeps elements only for the rows in sight (and for the row that has the focus, wherever it is).
 * All rows are equally high, so a position is a multiplication. Rows are placed by the CSSOM, which the page's content
 * security policy allows, unlike style attributes in markup.
 */
export class VirtualList {
  private count = 0;
  private readonly rendered = new Map<number, HTMLElement>();
  private pinned = -1;
  private readonly body: HTMLElement;
  private readonly rowHeight: number;

  /**
   * `scroller` scrolls and gets one child, which holds the rows. `render` makes the element of a row. For fingers rows are
   * higher than asked, as in narrow.css.
   */
  constructor(
    private readonly scroller: HTMLElement,
    rowHeight: number,
    private readonly render: (index: number) => HTMLElement,
  ) {
    this.rowHeight = matchMedia("(pointer: coarse)").matches ? Math.max(kForFingers, rowHeight) : rowHeight;
    this.body = document.createElement("div");
    this.body.className = "virtual-body";
    this.body.setAttribute("role", "presentation");
    scroller.append(this.body);
    scroller.addEventListener("scroll", () => {
      this.update();
    });
    new ResizeObserver(() => {
      this.update();
    }).observe(scroller);
  }

  /** New content: all rows are made anew. `pinned` stays rendered while out of sight; -1 for none. */
  reset(count: number, pinned = -1): void {
    this.count = count;
    this.pinned = pinned;
    this.body.style.height = `${count * this.rowHeight}px`;
    for (const element of this.rendered.values()) element.remove();
    this.rendered.clear();
    this.update();
  }

  elementAt(index: number): HTMLElement | undefined {
    return this.rendered.get(index);
  }

  /** Keeps another row rendered while it is out of sight. */
  pin(index: number): void {
    this.pinned = index;
    this.update();
  }

  /** Visits the rendered rows, to change them in place: an element that is replaced loses its focus and its clicks. */
  forEach(visit: (element: HTMLElement, index: number) => void): void {
    this.rendered.forEach(visit);
  }

  /** Scrolls as little as needed. */
  scrollTo(index: number): void {
    const top = index * this.rowHeight;
    const { scrollTop, clientHeight } = this.scroller;
    if (top < scrollTop) this.scroller.scrollTop = top;
    else if (top + this.rowHeight > scrollTop + clientHeight)
      this.scroller.scrollTop = top + this.rowHeight - clientHeight;
    this.update();
  }

  rowsPerPage(): number {
    return Math.max(1, Math.floor(this.scroller.clientHeight / this.rowHeight) - 1);
  }

  private place(index: number): HTMLElement {
    const made = this.render(index);
    made.classList.add("virtual-row");
    made.style.transform = `translateY(${index * this.rowHeight}px)`;
    this.rendered.set(index, made);
    return made;
  }

  private update(): void {
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / this.rowHeight) - 4);
    const end = Math.min(
      this.count,
      Math.ceil((this.scroller.scrollTop + this.scroller.clientHeight) / this.rowHeight) + 4,
    );
    for (const [index, element] of this.rendered) {
      if ((index >= first && index < end) || index === this.pinned) continue;
      element.remove();
      this.rendered.delete(index);
    }
    for (let index = first; index < end; index++) this.ensure(index);
    if (this.pinned >= 0 && this.pinned < this.count) this.ensure(this.pinned);
  }

  /** Elements stand in the document in the order of their rows, so that reading order is right. */
  private ensure(index: number): void {
    if (this.rendered.has(index)) return;
    const made = this.place(index);
    let after: HTMLElement | null = null;
    let nearest = Infinity;
    for (const [other, element] of this.rendered) {
      if (other > index && other < nearest) {
        nearest = other;
        after = element;
      }
    }
    this.body.insertBefore(made, after);
  }
}
