// A graph of boxes and arrows on a canvas: pan, zoom, hover, click, search, arrow keys, export.
// The view's own state (zoom, hover, selection) lives per mounted element and survives new data.

const views = new WeakMap();
const BOX = { width: 168, height: 46, radius: 7 };
const LEGEND = { width: 190, height: 46, margin: 12 };

export default function (component) {
  const { data, parentElement } = component;
  let view = views.get(parentElement);
  if (!view) {
    view = new View(parentElement);
    views.set(parentElement, view);
  }
  view.component = component;
  view.update(data);
  return () => view.release();
}

class View {
  constructor(parent) {
    this.parent = parent;
    this.root = parent.querySelector(".graph");
    this.canvas = parent.querySelector("canvas");
    this.tip = parent.querySelector(".tip");
    this.search = parent.querySelector("input");
    this.status = parent.querySelector(".status");
    this.scale = 1;
    this.offset = [0, 0];
    this.hovered = null;
    this.selected = null;
    this.shape = "";
    this.listen();
  }

  update(data) {
    this.data = data;
    this.boxes = new Map(data.boxes.map((box) => [box.id, box]));
    this.neighbours = new Map(data.boxes.map((box) => [box.id, []]));
    for (const edge of data.edges) {
      this.neighbours.get(edge.from).push(edge.to);
      this.neighbours.get(edge.to).push(edge.from);
    }
    this.root.style.height = `${data.height}px`;
    this.selected = data.selected;
    const shape = JSON.stringify(data.boxes.map((box) => [box.id, box.x, box.y]));
    if (shape !== this.shape) {
      this.shape = shape;
      this.fitPending = true;
    }
    this.observe();
    this.draw();
  }

  observe() {
    if (this.observer) return;
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.root);
    this.resize();
  }

  release() {
    this.observer?.disconnect();
    this.observer = null;
  }

  resize() {
    const { width, height } = this.root.getBoundingClientRect();
    if (!width || !height) return;
    const ratio = window.devicePixelRatio || 1;
    this.width = width;
    this.height = height;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    if (this.fitPending) this.fit();
    this.draw();
  }

  bounds() {
    const bends = this.data.edges.flatMap((edge) => edge.points);
    const xs = [
      ...this.data.boxes.flatMap((box) => [box.x - BOX.width / 2, box.x + BOX.width / 2]),
      ...bends.map(([x]) => x),
    ];
    const ys = [
      ...this.data.boxes.flatMap((box) => [box.y - BOX.height / 2, box.y + BOX.height / 2]),
      ...bends.map(([, y]) => y),
    ];
    return [
      Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys),
    ];
  }

  fit() {
    const [left, top, right, bottom] = this.bounds();
    const room = 24;
    const above = 50; // the tools
    const below = LEGEND.height + 2 * LEGEND.margin;
    const fitted = Math.min(
      (this.width - 2 * room) / (right - left),
      (this.height - above - below) / (bottom - top),
    );
    // Long graphs start readable at their beginning rather than tiny as a whole.
    this.scale = Math.min(1.4, Math.max(fitted, 0.5));
    const fits = this.scale <= fitted;
    const free = (span, size, start) => (fits ? (size - span * this.scale) / 2 : room) - start * this.scale;
    this.offset = [
      free(right - left, this.width, left),
      above - top * this.scale + (fits
        ? Math.max(0, (this.height - above - below - (bottom - top) * this.scale) / 2)
        : 0),
    ];
    this.fitPending = false;
  }

  toGraph(x, y) {
    return [(x - this.offset[0]) / this.scale, (y - this.offset[1]) / this.scale];
  }

  boxAt(x, y) {
    const [gx, gy] = this.toGraph(x, y);
    return this.data.boxes.find(
      (box) => Math.abs(gx - box.x) <= BOX.width / 2 && Math.abs(gy - box.y) <= BOX.height / 2,
    );
  }

  listen() {
    const at = (event) => {
      const frame = this.canvas.getBoundingClientRect();
      return [event.clientX - frame.left, event.clientY - frame.top];
    };
    let drag = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      drag = { start: at(event), offset: [...this.offset], moved: false };
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const [x, y] = at(event);
      if (drag) {
        const [dx, dy] = [x - drag.start[0], y - drag.start[1]];
        drag.moved ||= Math.hypot(dx, dy) > 4;
        if (drag.moved) this.offset = [drag.offset[0] + dx, drag.offset[1] + dy];
        if (drag.moved) this.draw();
        return;
      }
      this.hover(this.boxAt(x, y), x, y);
    });
    this.canvas.addEventListener("pointerup", (event) => {
      const box = this.boxAt(...at(event));
      if (drag && !drag.moved) this.choose(box ? box.id : null);
      drag = null;
    });
    this.canvas.addEventListener("dblclick", (event) => {
      const box = this.boxAt(...at(event));
      if (box) this.component.setTriggerValue("toggled", box.id);
    });
    this.canvas.addEventListener("pointerleave", () => this.hover(null));
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * 0.0015), ...at(event));
    }, { passive: false });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.search.addEventListener("input", () => this.draw());
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.choose(this.matches()[0]?.id ?? this.selected, true);
    });
    const actions = {
      "zoom-in": () => this.zoom(1.25), "zoom-out": () => this.zoom(0.8),
      fit: () => { this.fit(); this.draw(); },
      png: () => this.savePng(), svg: () => this.saveSvg(),
    };
    for (const button of this.parent.querySelectorAll("button")) {
      button.addEventListener("click", actions[button.dataset.action]);
    }
  }

  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const next = Math.min(4, Math.max(0.05, this.scale * factor));
    const [gx, gy] = this.toGraph(x, y);
    this.scale = next;
    this.offset = [x - gx * next, y - gy * next];
    this.draw();
  }

  hover(box, x = 0, y = 0) {
    this.canvas.style.cursor = box ? "pointer" : "grab";
    this.tip.hidden = !box;
    if (box) {
      this.tip.textContent = box.tip;
      const left = Math.min(x + 14, this.width - this.tip.offsetWidth - 8);
      const top = y + 18 + this.tip.offsetHeight > this.height ? y - this.tip.offsetHeight - 10 : y + 18;
      this.tip.style.transform = `translate(${Math.max(4, left)}px, ${Math.max(4, top)}px)`;
    }
    if ((box?.id ?? null) !== this.hovered) {
      this.hovered = box?.id ?? null;
      this.draw();
    }
  }

  choose(id, reveal = false) {
    if (id === null) return;
    this.selected = id;
    if (reveal) this.reveal(this.boxes.get(id));
    this.draw();
    this.component.setTriggerValue("selected", id);
  }

  reveal(box) {
    if (!box) return;
    const [x, y] = [box.x * this.scale + this.offset[0], box.y * this.scale + this.offset[1]];
    if (x < 60 || y < 40 || x > this.width - 60 || y > this.height - 90) {
      this.offset = [this.width / 2 - box.x * this.scale, this.height / 2 - box.y * this.scale];
    }
  }

  key(event) {
    const aims = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
    if (event.key === "Enter" && this.selected) {
      this.component.setTriggerValue("toggled", this.selected);
    } else if (aims[event.key]) {
      event.preventDefault();
      this.choose(this.step(aims[event.key]), true);
    }
  }

  // The nearest neighbour in a direction, else the nearest box there.
  step([dx, dy]) {
    const from = this.boxes.get(this.selected);
    if (!from) return this.data.boxes[0]?.id ?? null;
    const ahead = (box) => (box.x - from.x) * dx + (box.y - from.y) * dy;
    const aside = (box) => Math.abs((box.x - from.x) * dy) + Math.abs((box.y - from.y) * dx);
    const near = (boxes) => boxes
      .filter((box) => ahead(box) > 1)
      .sort((a, b) => ahead(a) + 2 * aside(a) - ahead(b) - 2 * aside(b))[0];
    const linked = this.neighbours.get(from.id).map((id) => this.boxes.get(id));
    return (near(linked) ?? near(this.data.boxes) ?? from).id;
  }

  matches() {
    const text = this.search.value.trim().toLowerCase();
    if (!text) return [];
    return this.data.boxes.filter((box) => box.words.toLowerCase().includes(text));
  }

  theme() {
    const style = getComputedStyle(this.root);
    const read = (name, otherwise) => style.getPropertyValue(name).trim() || otherwise;
    return {
      text: read("--st-text-color", "#222"),
      ground: read("--st-background-color", "#fff"),
      accent: read("--st-primary-color", "#0072B2"),
      font: read("--st-font", "sans-serif"),
    };
  }

  draw() {
    if (!this.width || !this.data) return;
    const ratio = window.devicePixelRatio || 1;
    const pen = this.canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.paint(new CanvasPen(pen), this.theme());
    const found = this.matches();
    this.status.textContent = this.search.value.trim() ? `${found.length} found` : "";
    Object.assign(this.canvas.dataset, {
      boxes: this.data.boxes.length, selected: this.selected ?? "", scale: this.scale.toFixed(4),
      offset: this.offset.map((value) => value.toFixed(1)).join(" "), colouring: this.data.legend.title,
    });
  }

  paint(pen, theme) {
    pen.clear(this.width, this.height, theme.ground);
    pen.place(this.offset, this.scale);
    const lit = this.hovered && new Set([this.hovered, ...this.neighbours.get(this.hovered) ?? []]);
    const found = new Set(this.matches().map((box) => box.id));
    for (const edge of this.data.edges) {
      const on = !lit || edge.from === this.hovered || edge.to === this.hovered;
      pen.arrow(edge.points, edge.heavy ? this.data.heavyColour : theme.text, edge.width, on ? 0.75 : 0.12);
    }
    for (const box of this.data.boxes) {
      const dim = (lit && !lit.has(box.id)) || (found.size && !found.has(box.id));
      const border = box.id === this.selected ? theme.accent : found.has(box.id) ? theme.text : null;
      pen.box(box, border, dim ? 0.25 : 1, theme);
    }
    pen.place([0, 0], 1);
    this.legend(pen, theme);
  }

  legend(pen, theme) {
    const { legend } = this.data;
    const y = this.height - LEGEND.margin - LEGEND.height;
    pen.panel(LEGEND.margin - 4, y - 6, this.legendWidth(legend) + 12, LEGEND.height + 12, theme.ground);
    pen.text(legend.title, LEGEND.margin + 2, y + 8, theme.text, 12, "left", theme.font);
    if (legend.stops) {
      pen.gradient(LEGEND.margin + 2, y + 18, LEGEND.width - 8, 10, legend.stops);
      legend.labels.forEach((label, i) => {
        const share = i / (legend.labels.length - 1);
        const align = share === 0 ? "left" : share === 1 ? "right" : "center";
        pen.text(label, LEGEND.margin + 2 + share * (LEGEND.width - 8), y + 40, theme.text, 11, align, theme.font);
      });
      return;
    }
    let x = LEGEND.margin + 2;
    for (const [label, colour] of legend.entries) {
      pen.panel(x, y + 22, 14, 14, colour);
      pen.text(label, x + 20, y + 33, theme.text, 11, "left", theme.font);
      x += 34 + label.length * 6.4;
    }
  }

  legendWidth(legend) {
    if (legend.stops) return LEGEND.width;
    return legend.entries.reduce((sum, [label]) => sum + 34 + label.length * 6.4, 0);
  }

  save(blob, kind) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${this.data.name}.${kind}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  savePng() {
    this.canvas.toBlob((blob) => this.save(blob, "png"));
  }

  saveSvg() {
    const pen = new SvgPen();
    this.paint(pen, this.theme());
    this.save(new Blob([pen.finish(this.width, this.height)], { type: "image/svg+xml" }), "svg");
  }
}

function arrowHead(points) {
  const [x, y] = points[points.length - 1];
  const [px, py] = points[points.length - 2];
  const angle = Math.atan2(y - py, x - px);
  return [-0.42, 0.42].map((turn) => [x - 8 * Math.cos(angle + turn), y - 8 * Math.sin(angle + turn)]);
}

// Both pens draw the same five things: one on the canvas, one as SVG text.
class CanvasPen {
  constructor(context) {
    this.context = context;
  }

  clear(width, height, colour) {
    this.context.clearRect(0, 0, width, height);
    this.panel(0, 0, width, height, colour);
  }

  place([x, y], scale) {
    this.context.restore();
    this.context.save();
    this.context.translate(x, y);
    this.context.scale(scale, scale);
  }

  arrow(points, colour, width, opacity) {
    const pen = this.context;
    pen.globalAlpha = opacity;
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    points.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    pen.stroke();
    const [left, right] = arrowHead(points);
    pen.beginPath();
    [points[points.length - 1], left, right].forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    pen.fill();
    pen.globalAlpha = 1;
  }

  box(box, border, opacity, theme) {
    const pen = this.context;
    const [x, y] = [box.x - BOX.width / 2, box.y - BOX.height / 2];
    pen.globalAlpha = opacity;
    if (box.stacked) this.rounded(x + 5, y - 5, box.colour, theme.ground);
    this.rounded(x, y, box.colour, border ?? theme.ground, border ? 3.5 : 1);
    this.text(fitText(pen, box.title, theme.font), box.x, box.y - 3, box.ink, 13, "center", theme.font, 600);
    this.text(fitText(pen, box.subtitle, theme.font), box.x, box.y + 14, box.ink, 11, "center", theme.font);
    pen.globalAlpha = 1;
  }

  rounded(x, y, fill, stroke, width = 1) {
    const pen = this.context;
    pen.beginPath();
    pen.roundRect(x, y, BOX.width, BOX.height, BOX.radius);
    pen.fillStyle = fill;
    pen.fill();
    pen.strokeStyle = stroke;
    pen.lineWidth = width;
    pen.stroke();
  }

  panel(x, y, width, height, colour) {
    this.context.fillStyle = colour;
    this.context.fillRect(x, y, width, height);
  }

  gradient(x, y, width, height, stops) {
    const fill = this.context.createLinearGradient(x, y, x + width, y);
    stops.forEach(([share, colour]) => fill.addColorStop(share, colour));
    this.context.fillStyle = fill;
    this.context.fillRect(x, y, width, height);
  }

  text(text, x, y, colour, size, align, font, weight = 400) {
    const pen = this.context;
    pen.fillStyle = colour;
    pen.font = `${weight} ${size}px ${font}`;
    pen.textAlign = align;
    pen.fillText(text, x, y);
  }
}

function fitText(pen, text, font) {
  pen.font = `600 13px ${font}`;
  if (pen.measureText(text).width <= BOX.width - 14) return text;
  let cut = text;
  while (cut.length > 1 && pen.measureText(`${cut}…`).width > BOX.width - 14) cut = cut.slice(0, -1);
  return `${cut}…`;
}

class SvgPen {
  constructor() {
    this.parts = [];
    this.measure = document.createElement("canvas").getContext("2d");
    this.transform = "";
    this.gradients = 0;
  }

  add(text) {
    this.parts.push(text);
  }

  clear(width, height, colour) {
    this.panel(0, 0, width, height, colour);
  }

  place([x, y], scale) {
    if (this.transform) this.add("</g>");
    this.transform = `translate(${x} ${y}) scale(${scale})`;
    this.add(`<g transform="${this.transform}">`);
  }

  arrow(points, colour, width, opacity) {
    const path = points.map(([x, y]) => `${x},${y}`).join(" ");
    const head = [points[points.length - 1], ...arrowHead(points)].map(([x, y]) => `${x},${y}`).join(" ");
    this.add(`<g opacity="${opacity}"><polyline points="${path}" fill="none" stroke="${colour}" stroke-width="${width}"/>`);
    this.add(`<polygon points="${head}" fill="${colour}"/></g>`);
  }

  box(box, border, opacity, theme) {
    const [x, y] = [box.x - BOX.width / 2, box.y - BOX.height / 2];
    const rounded = (dx, dy, stroke, width) => `<rect x="${x + dx}" y="${y + dy}" width="${BOX.width}" height="${BOX.height}" rx="${BOX.radius}" fill="${box.colour}" stroke="${stroke}" stroke-width="${width}"/>`;
    this.add(`<g opacity="${opacity}">`);
    if (box.stacked) this.add(rounded(5, -5, theme.ground, 1));
    this.add(rounded(0, 0, border ?? theme.ground, border ? 3.5 : 1));
    this.text(fitText(this.measure, box.title, theme.font), box.x, box.y - 3, box.ink, 13, "center", theme.font, 600);
    this.text(fitText(this.measure, box.subtitle, theme.font), box.x, box.y + 14, box.ink, 11, "center", theme.font);
    this.add("</g>");
  }

  panel(x, y, width, height, colour) {
    this.add(`<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${colour}"/>`);
  }

  gradient(x, y, width, height, stops) {
    const name = `gradient${(this.gradients += 1)}`;
    const parts = stops.map(([share, colour]) => `<stop offset="${share}" stop-color="${colour}"/>`).join("");
    this.add(`<defs><linearGradient id="${name}">${parts}</linearGradient></defs>`);
    this.panel(x, y, width, height, `url(#${name})`);
  }

  text(text, x, y, colour, size, align, font, weight = 400) {
    const anchor = { left: "start", center: "middle", right: "end" }[align];
    const safe = text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
    this.add(`<text x="${x}" y="${y}" fill="${colour}" font-size="${size}" font-weight="${weight}" font-family="${font.replace(/"/g, "'")}" text-anchor="${anchor}">${safe}</text>`);
  }

  finish(width, height) {
    const close = this.transform ? "</g>" : "";
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${this.parts.join("")}${close}</svg>`;
  }
}
