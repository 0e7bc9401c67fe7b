// Curves in a picture of our own: axes, a few ticks, one line per series, a dashed line for a target.
const COLOURS = ["var(--cp-curve-1)", "var(--cp-curve-2)", "var(--cp-curve-3)", "var(--cp-curve-4)", "var(--cp-curve-5)"];
const DASHES = [null, "7 4", "2 3", "10 3 2 3"]; // for series beyond the colours
const LEFT = 56, RIGHT = 14, TOP = 10, BOTTOM = 40;

export default {
  template: `
    <figure class="cp-plot" ref="box">
      <svg :width="width" :height="height" role="img" :aria-label="words">
        <g class="cp-plot__grid">
          <template v-for="tick in yTicks" :key="'y' + tick.value">
            <line :x1="left" :x2="width - right" :y1="tick.at" :y2="tick.at"/><text :x="left - 6" :y="tick.at + 4" text-anchor="end">{{ tick.text }}</text>
          </template>
          <template v-for="tick in xTicks" :key="'x' + tick.value">
            <line :x1="tick.at" :x2="tick.at" :y1="top" :y2="height - bottom"/><text :x="tick.at" :y="height - bottom + 15" text-anchor="middle">{{ tick.text }}</text>
          </template>
          <text :x="(left + width - right) / 2" :y="height - 6" text-anchor="middle">{{ xLabel }}</text>
          <text :transform="'translate(12 ' + (top + height - bottom) / 2 + ') rotate(-90)'" text-anchor="middle">{{ yLabel }}</text>
        </g>
        <line v-if="target !== null && shownY(target)" class="cp-plot__target" :x1="left" :x2="width - right" :y1="y(target)" :y2="y(target)"/>
        <g v-for="(one, k) in series" :key="one.name">
          <polyline :points="path(one)" fill="none" :stroke="colours[k % colours.length]" :stroke-dasharray="dashes[Math.floor(k / colours.length) % dashes.length]" stroke-width="2"/>
          <circle v-if="dots(one).length <= 60" v-for="(dot, d) in dots(one)" :key="d" :cx="dot[0]" :cy="dot[1]" r="2.5" :fill="colours[k % colours.length]"/>
        </g>
      </svg>
      <figcaption v-if="series.length > 1" class="cp-legend">
        <span v-for="(one, k) in series" :key="one.name"><svg class="cp-legend__line" width="26" height="10" aria-hidden="true"><line x1="1" x2="25" y1="5" y2="5" stroke-width="3"
            :stroke="colours[k % colours.length]" :stroke-dasharray="dashes[Math.floor(k / colours.length) % dashes.length]"/></svg>{{ one.name }}</span>
      </figcaption>
    </figure>`,
  props: {
    label: String, series: Array, xLabel: String, yLabel: String, logX: Boolean, logY: Boolean, height: Number,
    target: { type: Number, default: null },
  },
  data() {
    return { width: 480, colours: COLOURS, dashes: DASHES, left: LEFT, right: RIGHT, top: TOP, bottom: BOTTOM };
  },
  mounted() {
    this.observer = new ResizeObserver(([entry]) => (this.width = Math.max(200, Math.floor(entry.contentRect.width))));
    this.observer.observe(this.$refs.box);
  },
  unmounted() {
    this.observer.disconnect();
  },
  computed: {
    xs() {
      return this.bounds(0, this.logX, null);
    },
    ys() {
      return this.bounds(1, this.logY, this.target);
    },
    xTicks() {
      return this.ticks(this.xs, this.logX, this.x, this.width < 420 ? 4 : 6);
    },
    yTicks() {
      return this.ticks(this.ys, this.logY, this.y, 5);
    },
    words() {
      const last = this.series.map((one) => {
        const point = one.points[one.points.length - 1];
        return point ? `${one.name} ends at ${this.text(point[1])}` : `${one.name}: nothing yet`;
      });
      return `${this.label}. ${last.join("; ")}`;
    },
  },
  methods: {
    bounds(axis, log, extra) {
      const known = this.series.flatMap((one) => one.points.map((point) => point[axis]));
      if (extra !== null) known.push(extra);
      const usable = known.filter((value) => Number.isFinite(value) && (!log || value > 0));
      if (!usable.length) return log ? [1, 10] : [0, 1];
      let [low, high] = [Math.min(...usable), Math.max(...usable)];
      if (low === high) [low, high] = log ? [low / 2, high * 2] : [low - 0.5, high + 0.5];
      return [low, high];
    },
    place(value, [low, high], log) {
      return log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    },
    x(value) {
      return LEFT + (this.width - LEFT - RIGHT) * this.place(value, this.xs, this.logX);
    },
    y(value) {
      return this.height - BOTTOM - (this.height - TOP - BOTTOM) * this.place(value, this.ys, this.logY);
    },
    shownY(value) {
      return value >= this.ys[0] && value <= this.ys[1];
    },
    dots(one) {
      return one.points.filter(([x, y]) => (!this.logX || x > 0) && (!this.logY || y > 0)).map(([x, y]) => [this.x(x), this.y(y)]);
    },
    path(one) {
      return this.dots(one).map((dot) => dot.map((value) => value.toFixed(1)).join(",")).join(" ");
    },
    ticks([low, high], log, at, count) {
      const values = [];
      if (log && high / low >= 10) {
        const steps = high / low > 1e4 ? [1] : high / low > 100 ? [1, 3] : [1, 2, 5];
        for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
          for (const step of steps) values.push(step * 10 ** power);
      } else {
        const rough = (high - low) / count;
        const unit = 10 ** Math.floor(Math.log10(rough));
        const step = [1, 2, 5, 10].map((factor) => factor * unit).find((size) => size >= rough);
        for (let value = Math.ceil(low / step) * step; value <= high * (1 + 1e-12); value += step) values.push(value);
      }
      return values.filter((value) => value >= low * (1 - 1e-12) && value <= high * (1 + 1e-12))
        .map((value) => ({ value, at: at(value), text: this.text(value) }));
    },
    text(value) {
      if (Math.abs(value) >= 1e6) return value.toExponential(0);
      return Math.abs(value) >= 1000 ? `${+(value / 1000).toPrecision(3)}k` : `${+value.toPrecision(3)}`;
    },
  },
};
