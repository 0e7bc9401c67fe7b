// A range that is painted: drag over kinds of hands, choose the weight, open the suits of one kind.
import { RANKS, SUIT_SIGNS, arrow, handsOf, kindAt, kindOf, ordered, percent, stroke } from "counterpoise_cards";

export default {
  template: `
    <div class="cp-range">
      <div class="cp-square cp-square--paint" role="grid" :aria-label="label" @pointerdown="start" @pointermove="drag"
           @pointerup="stop" @pointercancel="cancel" @keydown="key" ref="square">
        <div class="cp-square__row" role="row" v-for="(row, r) in rows" :key="r">
          <div v-for="(kind, c) in row" :key="kind" role="gridcell" class="cp-cell" :data-kind="kind"
               :class="{ 'cp-cell--open': kind === current, 'cp-cell--none': !means[kind] }"
               :tabindex="kind === current ? 0 : -1" :aria-label="kind + ' ' + percent(means[kind], 0)"
               :aria-selected="means[kind] > 0 ? 'true' : 'false'" @focus="current = kind">
            <span class="cp-cell__fill" :style="{ height: 100 * means[kind] + '%' }"></span>
            <span class="cp-cell__name">{{ kind }}</span>
          </div>
        </div>
      </div>
      <div class="cp-range__tools">
        <label class="cp-range__weight">Weight
          <input type="range" min="0" max="100" step="1" v-model.number="brush" :aria-label="label + ': weight of the brush'"/>
          <output>{{ brush }} %</output>
        </label>
        <button type="button" class="cp-button" :aria-expanded="suits ? 'true' : 'false'" @click="suits = !suits">
          Suits of {{ current }}</button>
      </div>
      <div v-if="suits" class="cp-suits" role="group" :aria-label="'Suits of ' + current">
        <button type="button" class="cp-suit" v-for="hand in handsOf(current)" :key="hand"
                :aria-pressed="weight(hand) > 0 ? 'true' : 'false'"
                :aria-label="hand + ' ' + percent(weight(hand), 0)" @click="paintHand(hand)">
          <span>{{ hand[0] }}<i :class="'cp-ink-' + hand[1]">{{ signs[hand[1]] }}</i>{{ hand[2] }}<i
            :class="'cp-ink-' + hand[3]">{{ signs[hand[3]] }}</i></span>
          <small>{{ percent(weight(hand), 0) }}</small>
        </button>
      </div>
    </div>`,
  props: { label: String, kinds: Object, hands: Object },
  data() {
    return { weights: {}, current: "AA", brush: 100, suits: false, painting: null, last: null, before: null, signs: SUIT_SIGNS };
  },
  created() {
    this.take();
  },
  watch: {
    kinds: { handler: "take", deep: true },
    hands: { handler: "take", deep: true },
  },
  computed: {
    rows() {
      return [...RANKS].map((_, r) => [...RANKS].map((_, c) => kindAt(r, c)));
    },
    means() {
      const found = {};
      for (const row of this.rows)
        for (const kind of row) {
          const hands = handsOf(kind);
          found[kind] = hands.reduce((sum, hand) => sum + this.weight(hand), 0) / hands.length;
        }
      return found;
    },
  },
  methods: {
    handsOf,
    percent,
    weight(hand) {
      return this.weights[hand] ?? 0;
    },
    take() {
      const weights = {};
      for (const [kind, weight] of Object.entries(this.kinds ?? {})) for (const hand of handsOf(kind)) weights[hand] = weight;
      for (const [hand, weight] of Object.entries(this.hands ?? {})) weights[ordered(hand)] = weight;
      this.weights = weights;
    },
    paint(kind) {
      for (const hand of handsOf(kind)) this.weights[hand] = this.painting;
    },
    paintHand(hand) {
      this.weights[hand] = Math.abs(this.weight(hand) - this.brush / 100) < 1e-9 ? 0 : this.brush / 100;
      this.tell();
    },
    begin(kind) {
      this.painting = Math.abs(this.means[kind] - this.brush / 100) < 1e-9 ? 0 : this.brush / 100;
      this.before = { ...this.weights };
      this.current = this.last = kind;
      this.paint(kind);
    },
    start(event) {
      const kind = this.under(event);
      if (!kind || event.button > 0) return;
      event.preventDefault();
      this.$refs.square.setPointerCapture(event.pointerId);
      this.begin(kind);
      this.$nextTick(() => this.focus(kind));
    },
    drag(event) {
      if (this.painting === null) return;
      const kind = this.under(event);
      if (!kind) return;
      for (const passed of stroke(this.last, kind)) this.paint(passed);
      this.last = kind;
    },
    cancel() {
      // The finger scrolls the page: what it has touched on its way stays as it was.
      if (this.painting === null) return;
      this.painting = null;
      this.weights = this.before;
    },
    stop() {
      if (this.painting === null) return;
      this.painting = null;
      this.tell();
    },
    under(event) {
      return document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-kind]")?.dataset.kind;
    },
    key(event) {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        this.begin(this.current);
        this.stop();
        return;
      }
      const row = this.rows.findIndex((kinds) => kinds.includes(this.current));
      const to = arrow(event.key, row, this.rows[row].indexOf(this.current), RANKS.length, RANKS.length);
      if (!to) return;
      event.preventDefault();
      this.current = this.rows[to[0]][to[1]];
      this.$nextTick(() => this.focus(this.current));
    },
    focus(kind) {
      this.$refs.square.querySelector(`[data-kind="${kind}"]`)?.focus({ preventScroll: true });
    },
    tell() {
      const tokens = [];
      const spell = (name, weight) => tokens.push(weight === 1 ? name : `${name}:${weight}`);
      for (const row of this.rows)
        for (const kind of row) {
          const hands = handsOf(kind);
          const first = this.weight(hands[0]);
          if (hands.every((hand) => this.weight(hand) === first)) {
            if (first > 0) spell(kind, first);
          } else for (const hand of hands) if (this.weight(hand) > 0) spell(hand, this.weight(hand));
        }
      this.$emit("paint", tokens.join(","));
    },
  },
};
