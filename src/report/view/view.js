/* The model in 3D: unpacks the data of a section (view.h says how they are packed) and draws them by WebGL 2. The pure parts, which need no
 * page, are in hookeView: tests call them. A camera has two angles, a width that is seen, and a point in the middle. */
"use strict";
(() => {
const SETS = ["#e4572e", "#7b2cbf", "#0a9396", "#c9184a", "#588157", "#3a0ca3", "#bc6c25", "#006d77"];
const SOURCE = "#d00000", RECEIVER = "#0057b8";

/* Bytes one after the other. */
class Reader {
  constructor(bytes) { this.bytes = bytes; this.at = 0; }
  raw(count) { this.at += count; return this.bytes.subarray(this.at - count, this.at); }
  shorts(count) {
    const b = this.raw(2 * count), to = new Uint16Array(count);
    for (let i = 0, sum = 0; i < count; i++) to[i] = sum = (sum + b[i] + 256 * b[count + i]) & 65535;
    return to;
  }
  list(count) {
    const b = this.raw(4 * count), to = new Uint32Array(count);
    for (let i = 0, sum = 0; i < count; i++) {
      const word = (b[i] | b[count + i] << 8 | b[2 * count + i] << 16 | b[3 * count + i] << 24) >>> 0;
      to[i] = sum += word & 1 ? -(word + 1) / 2 : word / 2;
    }
    return to;
  }
}

function unpack(bytes) {
  const r = new Reader(bytes), size = r.raw(4);
  const model = JSON.parse(new TextDecoder().decode(r.raw(size[0] | size[1] << 8 | size[2] << 16 | size[3] << 24)));
  const n = model.vertices, place = [r.shorts(n), r.shorts(n), r.shorts(n)];
  model.place = new Float32Array(3 * n);
  for (let i = 0; i < n; i++) for (let d = 0; d < 3; d++) model.place[3 * i + d] = model.low[d] + place[d][i] * model.size / 65535;
  model.triangle = r.list(3 * model.triangles);
  model.edge = r.list(2 * model.edges);
  model.region = r.raw(n);
  for (const set of model.sets) {
    const list = set.count.map(count => r.list(count));
    set.triangle = Uint32Array.from([...list[0]].flatMap(t => [...model.triangle.subarray(3 * t, 3 * t + 3)]));
    set.edge = Uint32Array.from([...list[1]].flatMap(e => [...model.edge.subarray(2 * e, 2 * e + 2)]));
    set.point = list[1].length ? set.edge : list[2];
  }
  for (const q of model.quantities) q.palette = r.raw(768);
  for (const q of model.quantities) {
    q.value = [];
    for (let k = 0; k < q.frames.length; k++) {
      const code = Uint8Array.from(r.raw(n));
      if (k) for (let i = 0; i < n; i++) code[i] += q.value[k - 1][i];
      q.value.push(code);
    }
  }
  return model;
}

/* Right, up, toward the viewer. */
function axes({turn, rise}) {
  const c = Math.cos(turn), s = Math.sin(turn), cr = Math.cos(rise), sr = Math.sin(rise);
  return [[-s, c, 0], [-c * sr, -s * sr, cr], [c * cr, s * cr, sr]];
}
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/* The whole box is seen, from the front right above it; of plane models from straight in front. */
function home(model, aspect) {
  const camera = {turn: model.flat ? -Math.PI / 2 : -0.95, rise: model.flat ? Math.PI / 2 : 0.42, middle: model.low.map((x, d) => (x + model.high[d]) / 2)};
  const [right, up] = axes(camera), half = model.low.map((x, d) => (model.high[d] - x) / 2);
  const reach = way => half.reduce((sum, h, d) => sum + h * Math.abs(way[d]), 0);
  camera.width = 2.15 * Math.max(reach(right), reach(up) * aspect) || 1;
  return camera;
}

/* Columns of the matrix from places to the canvas, x right, y up, z into it: [-1, 1]. */
function matrix(model, camera, aspect) {
  const [right, up, toward] = axes(camera), deep = 4 * model.size + camera.width || 1;
  const rows = [right.map(x => 2 * x / camera.width), up.map(x => 2 * aspect * x / camera.width), toward.map(x => -x / deep)];
  const m = [];
  for (let d = 0; d < 3; d++) m.push(rows[0][d], rows[1][d], rows[2][d], 0);
  return [...m, ...rows.map(row => -dot(row, camera.middle)), 1];
}

/* Where a place is on a canvas, in pixels. */
function project(model, camera, width, height, x) {
  const [right, up] = axes(camera), away = x.map((v, d) => v - camera.middle[d]), scale = width / camera.width;
  return [width / 2 + scale * dot(right, away), height / 2 - scale * dot(up, away)];
}

function turn(camera, right, down) {
  camera.turn -= right;
  camera.rise = Math.min(Math.PI / 2, Math.max(-Math.PI / 2, camera.rise + down));
}

/* By pixels of a canvas of that width. */
function shift(camera, width, right, down) {
  const [across, up] = axes(camera), scale = camera.width / width;
  camera.middle = camera.middle.map((x, d) => x - scale * (right * across[d] - down * up[d]));
}

/* The place under the pixel stays where it is. */
function zoom(camera, width, height, x, y, factor) {
  shift(camera, width, width / 2 - x, height / 2 - y);
  camera.width *= factor;
  shift(camera, width, x - width / 2, y - height / 2);
}

/* Four digits: 60, 0.3333, 2.703e-5 */
function number(x) {
  const short = +x.toPrecision(4), size = Math.abs(short);
  return size && (size < 1e-3 || size >= 1e6) ? short.toExponential().replace("e+", "e") : String(short);
}

/* mode 0: colours of values, 1: of regions, 2: a plain colour, 3: a round spot of it, 4: plain and lit. */
const VERTEX = `#version 300 es
uniform mat4 view; uniform mat3 turned; uniform float size, front;
in vec3 place; in float value, region;
out vec3 at; out float v; flat out float r;
void main() { gl_Position = view * vec4(place, 1.0); gl_Position.z -= front; gl_PointSize = size; at = turned * place; v = value; r = region; }`;
const FRAGMENT = `#version 300 es
precision highp float;
uniform sampler2D colours; uniform int mode; uniform vec4 plain; uniform float lit;
in vec3 at; in float v; flat in float r; out vec4 colour;
void main() {
  if (mode == 2) { colour = plain; return; }
  if (mode == 3) {
    float d = length(gl_PointCoord - 0.5);
    if (d > 0.5) discard;
    colour = d > 0.36 ? vec4(1.0) : plain; return;
  }
  vec3 n = cross(dFdx(at), dFdy(at));
  float shade = 1.0 - lit * (0.3 - 0.3 * abs(dot(n / max(length(n), 1e-30), vec3(-0.25, 0.55, 0.8))));
  vec3 c = plain.rgb;
  if (mode == 0) c = texture(colours, vec2((v < 0.5 ? 0.5 : max(v, 1.0) + 0.5) / 256.0, 0.25)).rgb;
  if (mode == 1) c = texture(colours, vec2((r + 0.5) / 256.0, 0.75)).rgb;
  colour = vec4(c * shade, 1.0);
}`;

function program(gl) {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  ["place", "value", "region"].forEach((name, k) => gl.bindAttribLocation(made, k, name));
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  return made;
}

const rgb = hex => [1, 3, 5].map(k => parseInt(hex.slice(k, k + 2), 16) / 255);

/* Buffers on the graphics processor, and what draws them. */
class Scene {
  constructor(gl, model) {
    Object.assign(this, {gl, model, program: program(gl)});
    gl.useProgram(this.program);
    this.where = name => gl.getUniformLocation(this.program, name);
    this.place = this.numbers(0, model.place, 3, gl.FLOAT);
    this.value = this.numbers(1, new Uint8Array(model.vertices), 1, gl.UNSIGNED_BYTE);
    this.numbers(2, model.region, 1, gl.UNSIGNED_BYTE);
    this.triangle = this.list(model.triangle);
    this.edge = this.list(model.edge);
    for (const set of model.sets) for (const kind of ["triangle", "edge", "point"]) set[kind + "s"] = this.list(set[kind]);
    for (const p of model.points) p.places = this.buffer(gl.ARRAY_BUFFER, new Float32Array(p.at.flat()));
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    for (const key of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, key, gl.NEAREST);
    this.colours = new Uint8Array(2 * 768).fill(200);
    model.regions.forEach((region, k) => this.colours.set(region.colour, 768 + 3 * (k + 1)));
  }
  buffer(kind, data) {
    const gl = this.gl, made = gl.createBuffer();
    gl.bindBuffer(kind, made);
    gl.bufferData(kind, data, gl.STATIC_DRAW);
    return made;
  }
  numbers(at, data, wide, kind) {
    const made = this.buffer(this.gl.ARRAY_BUFFER, data);
    this.gl.enableVertexAttribArray(at);
    this.gl.vertexAttribPointer(at, wide, kind, false, 0, 0);
    return made;
  }
  list(data) { return {count: data.length, buffer: this.buffer(this.gl.ELEMENT_ARRAY_BUFFER, data)}; }
  show(quantity, frame) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.value);
    gl.bufferData(gl.ARRAY_BUFFER, quantity.value[frame], gl.DYNAMIC_DRAW);
    this.colours.set(quantity.palette);
  }
  indexed(kind, list, mode, colour, front = 0, size = 1) {
    const gl = this.gl;
    gl.uniform1i(this.where("mode"), mode);
    gl.uniform4fv(this.where("plain"), [...colour, 1]);
    gl.uniform1f(this.where("front"), front);
    gl.uniform1f(this.where("size"), size);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, list.buffer);
    gl.drawElements(kind, list.count, gl.UNSIGNED_INT, 0);
  }
  spots(points, colour, size) {
    const gl = this.gl;
    gl.uniform1i(this.where("mode"), 3);
    gl.uniform4fv(this.where("plain"), [...colour, 1]);
    gl.uniform1f(this.where("front"), 0);
    gl.uniform1f(this.where("size"), size);
    gl.bindBuffer(gl.ARRAY_BUFFER, points.places);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    for (const at of [1, 2]) gl.disableVertexAttribArray(at);
    gl.drawArrays(gl.POINTS, 0, points.at.length);
    for (const at of [1, 2]) gl.enableVertexAttribArray(at);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.place);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
  }
  draw(camera, {mode, ink, on, dots}) {
    const {gl, model} = this, {width, height} = gl.canvas, aspect = width / height;
    const [right, up, toward] = axes(camera), near = 2e-3 * model.size / (4 * model.size + camera.width);
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB, 256, 2, 0, gl.RGB, gl.UNSIGNED_BYTE, this.colours);
    gl.uniformMatrix4fv(this.where("view"), false, matrix(model, camera, aspect));
    gl.uniformMatrix3fv(this.where("turned"), false, [0, 1, 2].flatMap(d => [right[d], up[d], toward[d]]));
    gl.uniform1f(this.where("lit"), model.flat ? 0 : 1);
    this.indexed(gl.TRIANGLES, this.triangle, mode, [0, 0, 0]);
    if (on.outline) this.indexed(gl.LINES, this.edge, 2, ink, near);
    model.sets.forEach((set, k) => {
      if (!on["set" + k]) return;
      const colour = rgb(SETS[k % SETS.length]);
      this.indexed(gl.TRIANGLES, set.triangles, 4, colour, near / 2);
      this.indexed(gl.LINES, set.edges, 2, colour, 2 * near);
      this.indexed(gl.POINTS, set.points, 3, colour, 2 * near, 6 * dots);
    });
    gl.disable(gl.DEPTH_TEST);
    model.points.forEach((p, k) => { if (on["point" + k] && p.at.length) this.spots(p, rgb(p.source ? SOURCE : RECEIVER), 11 * dots); });
  }
}

const element = (tag, fields = {}, ...inside) => {
  const made = Object.assign(document.createElement(tag), fields);
  made.append(...inside);
  return made;
};

function legend(model, shown) {
  const box = element("span", {className: "scale"});
  if (shown.mode === 1) {
    for (const region of model.regions) box.append(element("label", {}, element("i", {style: `background:rgb(${region.colour})`}), region.name ?? "?"));
    return box;
  }
  const q = shown.quantity, stops = [];
  for (let k = 1; k < 256; k += 6) stops.push(`rgb(${q.palette.slice(3 * k, 3 * k + 3)})`);
  box.append((q.below ? "\u2264 " : "") + number(q.low), element("b", {style: `background:linear-gradient(90deg,${stops})`}),
    (q.above ? "\u2265 " : "") + number(q.high) + (q.unit ? " " + q.unit : ""));
  return box;
}

/* "60 x 30 mm" */
function extent(model) {
  const sides = model.low.map((x, d) => number(model.high[d] - x));
  return (model.flat ? sides.slice(0, 2) : sides).join(" \u00d7 ") + (model.unit ? " " + model.unit : "");
}

/* A box to switch something on and off. */
function toggle(state, key, name, colour, draw) {
  const box = element("input", {type: "checkbox", checked: state.on[key]});
  box.onchange = () => { state.on[key] = box.checked; draw(); };
  return element("label", {}, box, ...(colour ? [element("i", {style: `background:${colour}`})] : []), name);
}

function switches(state, model, draw) {
  const row = element("div", {className: "rows"});
  row.append(toggle(state, "outline", "outline", "", draw));
  model.points.forEach((p, k) => {
    if (p.at.length) row.append(toggle(state, "point" + k, p.source ? "sources" : "receivers " + (p.name ?? ""), p.source ? SOURCE : RECEIVER, draw));
  });
  model.sets.forEach((set, k) => row.append(toggle(state, "set" + k, "set " + (set.name ?? ""), SETS[k % SETS.length], draw)));
  return row;
}

/* What is coloured, the frame, the legend. */
function controls(state, model, scene, draw) {
  const chosen = element("select", {ariaLabel: "colours"}), slider = element("input", {type: "range", min: 0, style: "flex:1", ariaLabel: "frame"});
  const time = element("output"), play = element("button", {textContent: "Play"}), scale = element("span");
  const film = element("div", {className: "play"}, play, slider, time);
  let timer = 0;
  const stop = () => { clearInterval(timer); timer = 0; play.textContent = "Play"; };
  const update = () => {
    const q = state.quantity;
    film.style.visibility = state.mode === 0 && q.frames.length > 1 ? "visible" : "hidden";
    slider.max = q.frames.length - 1;
    slider.value = state.frame;
    time.textContent = q.frames[state.frame];
    scene.show(q, state.frame);
    scale.replaceChildren(legend(model, state));
    draw();
  };
  model.quantities.forEach((q, k) => chosen.append(element("option", {value: k, textContent: q.name + (q.unit ? ` (${q.unit})` : "")})));
  if (model.regions.length) chosen.append(element("option", {value: -1, textContent: "regions"}));
  chosen.onchange = () => {
    state.mode = chosen.value < 0 ? 1 : 0;
    if (state.mode === 0) state.quantity = model.quantities[chosen.value];
    state.frame = Math.min(state.frame, state.quantity.frames.length - 1);
    update();
  };
  slider.oninput = () => { stop(); state.frame = +slider.value; update(); };
  play.onclick = () => {
    if (timer) return stop();
    play.textContent = "Pause";
    timer = setInterval(() => { state.frame = (state.frame + 1) % state.quantity.frames.length; update(); }, 140);
  };
  update();
  return [element("div", {className: "rows"}, element("label", {}, "colours", chosen), scale), film];
}

/* Left button or one finger turns, right button, shift or two fingers shift, wheel or two fingers zoom. */
function listen(canvas, state, model, draw) {
  const held = new Map();
  const here = e => [e.offsetX, e.offsetY];
  canvas.onpointerdown = e => { canvas.setPointerCapture(e.pointerId); held.set(e.pointerId, here(e)); };
  canvas.onpointerup = canvas.onpointercancel = e => held.delete(e.pointerId);
  canvas.oncontextmenu = e => e.preventDefault();
  canvas.onpointermove = e => {
    const before = held.get(e.pointerId);
    if (!before) return;
    const [x, y] = here(e), right = x - before[0], down = y - before[1], other = [...held].find(([id]) => id !== e.pointerId);
    held.set(e.pointerId, [x, y]);
    if (other) {
      const away = ([a, b]) => Math.hypot(a - other[1][0], b - other[1][1]) || 1;
      zoom(state.camera, canvas.clientWidth, canvas.clientHeight, x, y, away(before) / away([x, y]));
      shift(state.camera, canvas.clientWidth, right / 2, down / 2);
    } else if (e.buttons & 2 || e.shiftKey) shift(state.camera, canvas.clientWidth, right, down);
    else turn(state.camera, right / 150, down / 150);
    draw();
  };
  canvas.addEventListener("wheel", e => {
    e.preventDefault();
    zoom(state.camera, canvas.clientWidth, canvas.clientHeight, e.offsetX, e.offsetY, Math.exp(Math.max(-100, Math.min(100, e.deltaY)) / 500));
    draw();
  }, {passive: false});
  canvas.ondblclick = () => { state.camera = home(model, canvas.clientWidth / canvas.clientHeight); draw(); };
  canvas.onkeydown = e => {
    const step = {ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1]}[e.key];
    if (step) turn(state.camera, ...step);
    else if (e.key === "+" || e.key === "-") state.camera.width *= e.key === "+" ? 0.9 : 1 / 0.9;
    else if (e.key === "0") state.camera = home(model, canvas.clientWidth / canvas.clientHeight);
    else return;
    e.preventDefault();
    draw();
  };
}

/* The directions of x, y and z, in a corner over the canvas. */
function triad(svg, camera) {
  const [right, up] = axes(camera);
  svg.innerHTML = ["x", "y", "z"].map((name, d) => {
    const x = 40 + 26 * right[d], y = 40 - 26 * up[d];
    return Math.hypot(right[d], up[d]) < 0.05 ? "" : `<path class="a" d="M40 40L${x} ${y}"/><text class="m" x="${40 + 1.35 * (x - 40)}" y="${44 + 1.35 * (y - 40)}">${name}</text>`;
  }).join("");
}

async function start(section) {
  const bytes = Uint8Array.from(atob(section.querySelector(".data").textContent), c => c.charCodeAt(0));
  const whole = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")));
  const model = unpack(new Uint8Array(await whole.arrayBuffer()));
  const canvas = section.querySelector("canvas"), stage = section.querySelector(".stage");
  const gl = canvas.getContext("webgl2", {antialias: true, preserveDrawingBuffer: true, alpha: true});
  if (!gl) throw new Error("no WebGL 2");
  const scene = new Scene(gl, model);
  stage.hidden = false;
  section.querySelector(".without").remove();
  const state = {mode: 0, quantity: model.quantities[0], frame: model.quantities[0].frames.length - 1, on: {outline: true}};
  model.points.forEach((_, k) => state.on["point" + k] = true);
  stage.insertAdjacentHTML("beforeend", '<svg viewBox="0 0 80 80" style="position:absolute;left:0;bottom:0;width:80px;height:80px;pointer-events:none;' +
    'border-radius:40px;background:color-mix(in srgb,var(--card) 75%,transparent)"></svg>');
  const svg = stage.querySelector("svg");
  const paint = () => {
    const dots = devicePixelRatio || 1, ink = getComputedStyle(document.body).color.match(/\d+/g).slice(0, 3).map(x => x / 255);
    canvas.width = canvas.clientWidth * dots;
    canvas.height = canvas.clientHeight * dots;
    state.camera ??= home(model, canvas.width / canvas.height);
    scene.draw(state.camera, {mode: state.mode, ink, on: state.on, dots});
    triad(svg, state.camera);
  };
  let asked = false;
  const draw = () => { if (!asked) { asked = true; requestAnimationFrame(() => { asked = false; paint(); }); } };
  stage.after(...controls(state, model, scene, draw), switches(state, model, draw),
    element("p", {className: "sub", textContent: extent(model) + ". Drag to turn, with shift or the right button to shift, wheel to zoom, double click to reset."}));
  listen(canvas, state, model, draw);
  addEventListener("resize", draw);
  Object.assign(hookeView, {state, model, paint});
  paint();
}

globalThis.hookeView = {unpack, axes, home, matrix, project, turn, shift, zoom, number, extent};
if (typeof document !== "undefined")
  document.querySelectorAll("section.model").forEach(section => start(section).catch(error => { section.dataset.error = error.message; }));
})();
