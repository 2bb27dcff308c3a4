// Makes a slide fit its window: the largest letters with which all of it can be seen, and if even
// the smallest are too large, the slide without its end.

const SIZES = [2.1, 1.9, 1.7, 1.5, 1.35, 1.2, 1.1, 1];
const ENDS = "p, li, tr, .controls label"; // what may be left out, from the last one on
const KEPT = ".tally, .board, .columns:not(.said), .experiment > .says"; // and what may not
const LABEL = 0.755; // the least size of a drawing's letters, in letters of the slide
const NARROW = 0.72;

export class Fit {
  // `cut` is called with whether the end of the slide is left out.
  constructor(slide, cut) {
    this.slide = slide;
    this.cut = cut;
    this.drawings = new Set();
    this.changes = new MutationObserver(() => this.soon());
    this.sizes = new ResizeObserver(() => this.soon());
    this.sizes.observe(slide);
    this.watch(slide);
  }

  destroy() {
    cancelAnimationFrame(this.later);
    this.changes.disconnect();
    this.sizes.disconnect();
  }

  // Attributes are left out: fitting changes them itself.
  watch(root) {
    this.changes.observe(root, { childList: true, characterData: true, subtree: true });
  }

  // A drawing (`Stage` of `touch.js`), whose letters are to be as large as labels on a slide.
  watchDrawing(stage) {
    this.drawings.add(stage);
    this.watch(stage);
    this.sizes.observe(stage);
    this.soon();
  }

  soon() {
    cancelAnimationFrame(this.later);
    this.later = requestAnimationFrame(() => this.now());
  }

  now() {
    const { slide } = this;
    for (const one of slide.querySelectorAll("[data-cut]")) one.removeAttribute("data-cut");
    SIZES.find((size) => {
      slide.style.setProperty("--fit", String(size));
      return this.fits();
    });
    this.cut(!this.fits() && this.leaveOut());
    const least = LABEL * parseFloat(getComputedStyle(slide).fontSize);
    for (const drawing of this.slide.querySelectorAll(".picture svg")) enlarge(drawing, least);
    for (const stage of this.drawings)
      if (stage.isConnected) this.nowDrawing(stage, least);
      else this.drawings.delete(stage);
  }

  // Beside a drawing whose words take all the room, what the class has found is left out, and then
  // the buttons.
  nowDrawing(stage, least) {
    for (const drawing of stage.querySelectorAll("svg")) enlarge(drawing, least);
    stage.removeAttribute("data-full");
    for (const left of ["found", "buttons"])
      if (stage.scrollHeight > stage.clientHeight + 1) stage.setAttribute("data-full", left);
  }

  fits() {
    return [this.slide, ...this.slide.querySelectorAll(".body, .wide")].every(
      (box) => box.scrollHeight <= box.clientHeight + 1 && box.scrollWidth <= box.clientWidth + 1,
    );
  }

  leaveOut() {
    const ends = [...this.slide.querySelectorAll(ENDS)].filter(
      (one) => !one.closest(KEPT) && one.getClientRects().length && !one.closest("thead"),
    );
    for (const one of ends.reverse()) {
      one.setAttribute("data-cut", "all");
      if (!this.fits()) continue;
      // As many lines of it as fit.
      if (one instanceof HTMLParagraphElement) {
        one.setAttribute("data-cut", "lines");
        for (let lines = 12; lines > 1; lines--) {
          one.style.setProperty("--lines", String(lines));
          if (this.fits()) return true;
        }
        one.setAttribute("data-cut", "all");
      }
      return true;
    }
    return true;
  }
}

// Gives the letters of a drawing at least a number of pixels on the screen. They become narrower, so
// that words do not meet others.
function enlarge(drawing, least) {
  const scale = drawing.getScreenCTM()?.a;
  if (!scale) return;
  for (const text of drawing.querySelectorAll("text")) {
    text.removeAttribute("textLength");
    text.style.fontSize = "";
    const size = parseFloat(getComputedStyle(text).fontSize);
    if (size * scale >= least) continue;
    const before = text.getComputedTextLength();
    text.style.fontSize = `${least / scale}px`;
    const wide = Math.max(before, NARROW * text.getComputedTextLength());
    if (text.textContent.length < 4) continue;
    text.setAttribute("textLength", wide.toFixed(1));
    text.setAttribute("lengthAdjust", "spacingAndGlyphs");
  }
}
