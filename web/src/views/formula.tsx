// A formula in MathML Core, built node by node: only elements of MathML, never markup of anything else.
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

const MATHML = "http://www.w3.org/1998/Math/MathML";
const ATTRIBUTES = new Set(["display", "mathvariant", "stretchy", "accent", "accentunder", "separator", "fence", "form", "width", "lspace", "rspace", "columnalign", "largeop", "movablelimits", "displaystyle", "scriptlevel"]);

function copy(from: Element): Element | null {
  if (from.namespaceURI !== MATHML || from.localName === "annotation" || from.localName === "annotation-xml") return null;
  const to = document.createElementNS(MATHML, from.localName);
  for (const { name, value } of Array.from(from.attributes)) if (ATTRIBUTES.has(name)) to.setAttribute(name, value);
  for (const child of Array.from(from.childNodes)) {
    if (child.nodeType === Node.TEXT_NODE) to.append(child.textContent ?? "");
    else if (child instanceof Element) {
      const made = copy(child);
      if (made) to.append(made);
    }
  }
  return to;
}

export function Formula({ mathml }: { mathml: string }): JSX.Element {
  const holder = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const text = mathml.includes("xmlns") ? mathml : mathml.replace("<math", `<math xmlns="${MATHML}"`);
    const root = new DOMParser().parseFromString(text, "application/xml").documentElement;
    const made = copy(root);
    holder.current?.replaceChildren(...(made ? [made] : []));
  }, [mathml]);
  return <div class="formula" ref={holder} tabindex={0} role="group" />;
}
