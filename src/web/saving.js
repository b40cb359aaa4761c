// Files that the page hands out.

import { element } from "./board.js";

export function save(name, blob) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

/** The board as a picture: its shapes with the colours that they have now. */
export async function picture(shown) {
  const copy = shown.cloneNode(true);
  copy.querySelector("[role=rowgroup]").remove();
  const from = shown.querySelectorAll("circle, path, rect, line, text");
  const names = ["fill", "stroke", "stroke-width", "opacity", "font-size", "font-weight", "text-anchor", "dominant-baseline"];
  copy.querySelectorAll("circle, path, rect, line, text").forEach((node, index) => {
    const style = getComputedStyle(from[index]);
    for (const name of names) node.setAttribute(name, style.getPropertyValue(name));
  });
  const [, , width, height] = copy.getAttribute("viewBox").split(" ").map(Number);
  const scale = Math.round(900 / Math.max(width, height));
  copy.setAttribute("width", width * scale);
  copy.setAttribute("height", height * scale);
  copy.setAttribute("font-family", "sans-serif");
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  const canvas = element("canvas", { width: width * scale, height: height * scale });
  const context = canvas.getContext("2d");
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0);
  canvas.toBlob((blob) => save("tengen.png", blob));
}
