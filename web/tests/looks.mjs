// What can be seen of a page without eyes: texts that are cut, hidden or written over each other, in the page and on its canvases.

/** Runs in the page before anything is drawn: every canvas keeps the texts that were written since it was last wiped. */
export function keepTexts() {
  const proto = CanvasRenderingContext2D.prototype;
  const { clearRect, fillText, fillRect } = proto;
  const begin = (c) => (c.canvas.texts = []);
  proto.clearRect = function (...args) {
    begin(this);
    return clearRect.apply(this, args);
  };
  proto.fillRect = function (...args) {
    begin(this);
    return fillRect.apply(this, args);
  };
  proto.fillText = function (text, x, y, ...rest) {
    const m = this.measureText(text);
    const to = this.getTransform();
    const corners = [-m.actualBoundingBoxLeft, m.actualBoundingBoxRight].flatMap((dx) =>
      [-m.actualBoundingBoxAscent, m.actualBoundingBoxDescent].map((dy) => [to.a * (x + dx) + to.c * (y + dy) + to.e, to.b * (x + dx) + to.d * (y + dy) + to.f]),
    );
    const [xs, ys] = [0, 1].map((k) => corners.map((corner) => corner[k]));
    if (String(text).trim()) (this.canvas.texts ??= []).push({ text: String(text), box: [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)] });
    return fillText.call(this, text, x, y, ...rest);
  };
}

/** Runs in the page: the sentences of what is wrong with it. */
export function findings() {
  const found = [];
  const shown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !element.closest(".out, .skip, .tip");
  const meet = ([a, b, c, d], [e, f, g, h]) => Math.max(0, Math.min(c, g) - Math.max(a, e)) * Math.max(0, Math.min(d, h) - Math.max(b, f));
  const area = ([a, b, c, d]) => Math.max(1e-9, (c - a) * (d - b));
  const key = /\b(scene|shell|label|value|view|control|choice|say|analyst)\.[a-z_]+/;
  for (const canvas of document.querySelectorAll("canvas")) {
    if (!shown(canvas)) continue;
    const texts = canvas.texts ?? [];
    const view = canvas.closest("[data-view]")?.dataset.view;
    texts.forEach((one, i) => {
      const [left, top, right, bottom] = one.box;
      if (left < -2 || top < -2 || right > canvas.width + 2 || bottom > canvas.height + 2) found.push(`view ${view}: "${one.text}" leaves the picture`);
      if (key.test(one.text) || /undefined|NaN/.test(one.text)) found.push(`view ${view}: "${one.text}" is no word`);
      for (const other of texts.slice(i + 1)) {
        if (meet(one.box, other.box) > 0.2 * Math.min(area(one.box), area(other.box))) found.push(`view ${view}: "${one.text}" and "${other.text}" stand on each other`);
      }
    });
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4 * 7) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    if (seen.size < 3) found.push(`view ${view}: nothing is drawn`);
  }
  if (document.documentElement.scrollWidth > innerWidth + 1) found.push(`the page is ${document.documentElement.scrollWidth - innerWidth} px wider than the window`);
  const rolls = (element) => /auto|scroll/.test(getComputedStyle(element).overflowX);
  const words = [];
  for (const element of document.querySelectorAll("body *")) {
    if (!shown(element) || element.closest("svg, math")) continue;
    const box = element.getBoundingClientRect();
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    const name = `<${element.localName} class="${element.className}"> "${element.textContent.trim().slice(0, 40)}"`;
    let outer = element;
    while (outer && !rolls(outer)) outer = outer.parentElement;
    if (!outer && (box.right > innerWidth + 1 || box.left < -1)) found.push(`${name} sticks out of the window`);
    if (!outer && own && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0) found.push(`${name} is cut: ${element.scrollWidth} px in ${element.clientWidth}`);
    if (own && key.test([...element.childNodes].map((node) => (node.nodeType === 3 ? node.textContent : "")).join(" ")) && !element.closest("pre, code")) found.push(`${name} is no word`);
    if (own && !element.closest("header.top, .hint, dialog, .menu ul")) {
      const range = document.createRange();
      for (const node of element.childNodes) {
        if (node.nodeType !== 3 || !node.textContent.trim()) continue;
        range.selectNodeContents(node);
        for (const { left, top, right, bottom } of range.getClientRects()) words.push({ element, text: node.textContent.trim(), box: [left, top + 2, right, bottom - 2], rolled: outer });
      }
    }
  }
  words.forEach((one, i) => {
    for (const other of words.slice(i + 1))
      if (one.element !== other.element && !one.rolled && !other.rolled && meet(one.box, other.box) > 0.15 * Math.min(area(one.box), area(other.box)))
        found.push(`"${one.text.slice(0, 40)}" and "${other.text.slice(0, 40)}" stand on each other`);
  });
  return [...new Set(found)];
}
