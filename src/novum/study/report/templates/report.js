"use strict";
// Tables sort by the value of a column; a second click turns the order round. Pictures show the numbers of a mark.
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const head = button.closest("th"), body = head.closest("table").tBodies[0];
    const column = Array.from(head.parentNode.children).indexOf(head);
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = row => {
      const cell = row.children[column], value = cell.dataset.value;
      return value === undefined || value === "" ? cell.textContent.trim().toLowerCase() : Number(value);
    };
    const rows = Array.from(body.rows).map((row, place) => ({row, place, key: key(row)}));
    rows.sort((a, b) => {
      const order = typeof a.key === "number" && typeof b.key === "number" ? a.key - b.key : String(a.key).localeCompare(String(b.key));
      return (down ? -order : order) || a.place - b.place;
    });
    for (const {row} of rows) body.append(row);
  });
}
const tip = document.getElementById("tip");
for (const mark of document.querySelectorAll("svg .tip")) {
  mark.querySelector("title").remove();  // the page's own tip replaces the browser's
  const show = event => {
    tip.textContent = mark.dataset.tip;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(8, Math.min(event.clientX + 14, innerWidth - box.width - 8)) + "px";
    tip.style.top = (event.clientY + box.height + 24 < innerHeight ? event.clientY + 16 : event.clientY - box.height - 12) + "px";
  };
  mark.addEventListener("pointermove", show);
  mark.addEventListener("pointerdown", show);
  mark.addEventListener("pointerleave", () => { tip.hidden = true; });
}
