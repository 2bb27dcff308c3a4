// The progress in lessons that `explorer/front/lesson.js` has kept in this browser.

export default function ({ parentElement }) {
  const place = parentElement.querySelector(".progress");
  place.dataset.shown = "";
  const seen = Object.values(kept()).map((each) =>
    each.questions && each.right >= each.questions
      ? `${each.title} ✓`
      : `${each.title} (${each.right} of ${each.questions} right)`,
  );
  place.textContent = seen.length ? `On this device: ${seen.join(", ")}.` : "";
}

function kept() {
  try {
    return JSON.parse(localStorage.getItem("nip-lessons")) ?? {};
  } catch {
    return {}; /* not ours */
  }
}
