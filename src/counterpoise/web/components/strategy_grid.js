// The hands of a decision as a coloured square: by what is done with them, or by EV, equity, EQR; brush for locks.
import { RANKS, SUIT_SIGNS, arrow, brief, kindAt, kindOf, percent, shade, stroke } from "counterpoise_cards";

const VALUES = { ev: "EV", equity: "equity", eqr: "EQR" };

export default {
  template: `
    <div class="cp-strategy">
      <div class="cp-square" :class="{ 'cp-square--paint': brush !== null }" role="grid" :aria-label="label" ref="square"
           v-memo="[cells, label, actions, colour, selected, current, brush, locked]"
           @keydown="key" @pointerdown="start" @pointermove="drag" @pointerup="stop" @pointercancel="cancel">
        <div class="cp-square__row" role="row" v-for="(row, r) in rows" :key="r">
          <div v-for="(kind, c) in row" :key="kind" role="gridcell" class="cp-cell" :data-kind="kind"
               :class="{ 'cp-cell--open': kind === selected, 'cp-cell--none': !cells[kind], 'cp-cell--locked': locked.includes(kind) }"
               :style="style(kind)" :tabindex="kind === current ? 0 : -1" :aria-label="words(kind)"
               :aria-selected="kind === selected ? 'true' : 'false'" @focus="current = kind" @click="select(kind)">
            <span class="cp-cell__name" :class="{ 'cp-cell__name--plain': colour !== 'actions' && cells[kind] }">{{ kind }}</span>
            <span v-if="colour !== 'actions' && cells[kind]" class="cp-cell__value" :data-text="text(cells[kind][colour])"></span>
          </div>
        </div>
      </div>
      <ul class="cp-legend" v-if="colour === 'actions'">
        <li v-for="action in actions" :key="action.label">
          <span class="cp-legend__box" :style="{ background: action.colour }"></span>{{ action.words }}
          <b>{{ percent(action.frequency) }}</b></li>
      </ul>
      <p class="cp-legend" v-else>
        <span>{{ text(limits[0]) }}</span><span class="cp-legend__scale" :style="scale"></span><span>{{ text(limits[1]) }}</span>
        <span>{{ names[colour] }}{{ colour === 'ev' ? ' in chips' : '' }}</span>
      </p>
      <div v-if="selected && cells[selected]" class="cp-combos" :aria-label="'Hands of ' + selected" role="group">
        <div class="cp-combo" v-for="k in cells[selected].hands" :key="hands[k]">
          <span class="cp-combo__name">{{ hands[k][0] }}<i :class="'cp-ink-' + hands[k][1]">{{ signs[hands[k][1]] }}</i>{{ hands[k][2] }}<i
            :class="'cp-ink-' + hands[k][3]">{{ signs[hands[k][3]] }}</i></span>
          <span class="cp-combo__mix" role="img" :aria-label="mixWords(k)">
            <span v-for="(action, a) in actions" :key="a" :style="{ width: 100 * strategy[a][k] + '%', background: action.colour }"></span>
          </span>
          <span class="cp-combo__value" v-if="ev">{{ brief(ev[k]) }}</span>
        </div>
      </div>
      <p v-else-if="selected" class="cp-note">{{ selected }} is not in this range here.</p>
    </div>`,
  props: {
    label: String, data: String, colour: String, selected: String,
    brush: { type: Number, default: null }, locked: { type: Array, default: () => [] },
  },
  data() {
    return { current: this.selected || "AA", painted: null, last: null, signs: SUIT_SIGNS, names: VALUES };
  },
  computed: {
    rows() {
      return [...RANKS].map((_, r) => [...RANKS].map((_, c) => kindAt(r, c)));
    },
    view() {
      return JSON.parse(this.data);
    },
    hands() {
      return this.view.hands;
    },
    strategy() {
      return this.view.strategy;
    },
    actions() {
      return this.view.actions;
    },
    ev() {
      return this.view.ev;
    },
    cells() {
      const { hands, weight, share, strategy } = this.view;
      const found = {};
      hands.forEach((hand, k) => {
        if (!(weight[k] > 0)) return;
        const kind = kindOf(hand);
        (found[kind] ??= { hands: [] }).hands.push(k);
      });
      const values = Object.keys(VALUES).map((name) => [name, this.view[name]]);
      for (const cell of Object.values(found)) {
        const total = cell.hands.reduce((sum, k) => sum + weight[k], 0);
        const mean = (column) => {
          const known = cell.hands.filter((k) => column[k] !== null);
          const mass = known.reduce((sum, k) => sum + share[k], 0);
          return mass > 0 ? known.reduce((sum, k) => sum + share[k] * column[k], 0) / mass : null;
        };
        cell.weight = total / cell.hands.length;
        cell.shares = strategy.map(mean);
        for (const [name, column] of values) cell[name] = column ? mean(column) : null;
      }
      return found;
    },
    most() {
      return Math.max(...Object.values(this.cells).map((cell) => cell.weight), 1e-12);
    },
    limits() {
      const known = Object.values(this.cells).map((cell) => cell[this.colour]).filter((value) => value !== null);
      return known.length ? [Math.min(...known), Math.max(...known)] : [0, 1];
    },
    scale() {
      const stops = [0, 0.25, 0.5, 0.75, 1].map((share) => shade(share).background);
      return { background: `linear-gradient(to right, ${stops.join(",")})` };
    },
  },
  methods: {
    brief,
    percent,
    text(value) {
      return this.colour === "equity" && value !== null ? (100 * value).toFixed(0) + "%" : brief(value);
    },
    style(kind) {
      const cell = this.cells[kind];
      if (this.colour === "actions") return cell ? this.mix(cell) : {};
      if (!cell || cell[this.colour] === null) return {};
      const [low, high] = this.limits;
      return shade(high > low ? (cell[this.colour] - low) / (high - low) : 0.5);
    },
    mix(cell) {
      // One background per cell: an element per action would make a thousand of them, laid out anew at every click.
      let from = 0;
      const stops = cell.shares.map((share, k) => `${this.actions[k].colour} ${from}% ${(from += 100 * share)}%`);
      return {
        backgroundImage: `linear-gradient(to right, ${stops.join(",")}, transparent ${from}%)`,
        backgroundSize: `100% ${(100 * cell.weight) / this.most}%`,
      };
    },
    words(kind) {
      const cell = this.cells[kind];
      if (!cell) return `${kind}: not in the range`;
      const mark = this.locked.includes(kind) ? ", locked" : "";
      if (this.colour !== "actions") return `${kind}: ${VALUES[this.colour]} ${this.text(cell[this.colour])}${mark}`;
      return `${kind}: ` + this.actions.map((action, k) => `${action.words} ${percent(cell.shares[k], 0)}`).join(", ") + mark;
    },
    picture(title, file) {
      // Save the square as it is shown: drawn here, since the server would need seconds for it.
      const [side, margin, line] = [52, 24, 24];
      const canvas = document.createElement("canvas");
      canvas.width = side * RANKS.length + 2 * margin;
      canvas.height = canvas.width + 2 * line;
      const pen = canvas.getContext("2d");
      const write = (words, x, y, colour, font, align = "center") => {
        Object.assign(pen, { fillStyle: colour, font: `${font} sans-serif`, textAlign: align });
        pen.fillText(words, x, y);
      };
      const fill = (colour, ...place) => {
        pen.fillStyle = colour;
        pen.fillRect(...place);
      };
      fill("#ffffff", 0, 0, canvas.width, canvas.height);
      write(title, margin, margin, "#10141a", "bold 17px", "left");
      this.rows.forEach((row, r) => row.forEach((kind, c) => {
        const [x, y, cell] = [margin + c * side, margin + line / 2 + r * side, this.cells[kind]];
        const values = this.colour !== "actions" && cell;
        const shaded = values ? this.style(kind) : {};
        fill(shaded.background ?? "#ececec", x, y, side - 1, side - 1);
        if (cell && !values) {
          const height = ((side - 1) * cell.weight) / this.most;
          let from = x;
          cell.shares.forEach((share, a) => {
            fill(this.actions[a].colour, from, y + side - 1 - height, share * (side - 1), height);
            from += share * (side - 1);
          });
        }
        write(kind, x + side / 2, y + 16, shaded.color ?? (cell ? "#10141a" : "#8a8f98"), "13px");
        if (values) write(this.text(cell[this.colour]), x + side / 2, y + side - 10, shaded.color ?? "#10141a", "12px");
      }));
      let at = margin;
      const below = canvas.height - line / 2;
      const legend = this.colour === "actions" ? this.actions : [{ words: `${VALUES[this.colour]} from ${this.text(this.limits[0])} to ${this.text(this.limits[1])}` }];
      for (const action of legend) {
        const words = action.colour ? `${action.words} ${percent(action.frequency)}` : action.words;
        if (action.colour) fill(action.colour, at, below - 12, 12, 12);
        write(words, at + 18, below, "#10141a", "14px", "left");
        at += 18 + pen.measureText(words).width + 20;
      }
      const link = document.createElement("a");
      Object.assign(link, { href: canvas.toDataURL("image/png"), download: file });
      link.click();
    },
    mixWords(k) {
      return this.actions.map((action, a) => `${action.words} ${percent(this.strategy[a][k])}`).join(", ");
    },
    select(kind) {
      if (this.brush === null) this.$emit("select", kind === this.selected ? "" : kind);
    },
    under(event) {
      return document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-kind]")?.dataset.kind;
    },
    start(event) {
      const kind = this.under(event);
      if (this.brush === null || !kind || event.button > 0) return;
      event.preventDefault();
      this.$refs.square.setPointerCapture(event.pointerId);
      this.painted = [];
      this.last = kind;
      this.paint(kind);
    },
    drag(event) {
      const kind = this.painted === null ? null : this.under(event);
      if (!kind) return;
      for (const passed of stroke(this.last, kind)) this.paint(passed);
      this.last = kind;
    },
    cancel() {
      this.painted = null; // the finger scrolls the page
    },
    stop() {
      const kinds = this.painted;
      this.painted = null;
      if (kinds?.length) this.$emit("brushed", kinds);
    },
    paint(kind) {
      if (this.cells[kind] && !this.painted.includes(kind)) this.painted.push(kind);
    },
    key(event) {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        if (this.brush === null) this.select(this.current);
        else if (this.cells[this.current]) this.$emit("brushed", [this.current]);
        return;
      }
      const row = this.rows.findIndex((kinds) => kinds.includes(this.current));
      const to = arrow(event.key, row, this.rows[row].indexOf(this.current), RANKS.length, RANKS.length);
      if (!to) return;
      event.preventDefault();
      this.current = this.rows[to[0]][to[1]];
      this.$nextTick(() => this.$refs.square.querySelector(`[data-kind="${this.current}"]`)?.focus());
    },
  },
};
