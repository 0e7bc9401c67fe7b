// All cards of a deck as buttons: to choose a board or the next card, or as a heat map with a number per card.
import { RANKS, SUITS, SUIT_SIGNS, arrow, brief, cardWords, shade } from "counterpoise_cards";

export default {
  template: `
    <div class="cp-cards" role="grid" :aria-label="label" @keydown="key" ref="cards">
      <div class="cp-cards__row" role="row" v-for="suit in suits" :key="suit">
        <div v-for="rank in ranks" :key="rank + suit" role="gridcell" class="cp-cards__slot">
          <button type="button" class="cp-card" :class="classes(rank + suit)" :style="style(rank + suit)" :data-card="rank + suit"
                  :tabindex="rank + suit === current ? 0 : -1" :aria-label="words(rank + suit)"
                  :aria-pressed="chosen.includes(rank + suit) ? 'true' : 'false'"
                  :aria-disabled="off(rank + suit) ? 'true' : 'false'" @focus="current = rank + suit" @click="pick(rank + suit)">
            <span>{{ rank }}<i>{{ signs[suit] }}</i></span>
            <small v-if="values && rank + suit in values" :data-text="shown(values[rank + suit])"></small>
          </button>
        </div>
      </div>
    </div>`,
  props: { label: String, chosen: Array, disabled: Array, values: Object, share: Boolean, ranks: String },
  data() {
    return { suits: [...SUITS], signs: SUIT_SIGNS, current: "As" };
  },
  computed: {
    limits() {
      const known = Object.values(this.values ?? {}).filter((value) => value !== null);
      return known.length ? [Math.min(...known), Math.max(...known)] : [0, 1];
    },
  },
  methods: {
    off(card) {
      return this.disabled.includes(card);
    },
    classes(card) {
      return [`cp-card--${card[1]}`, this.chosen.includes(card) ? "cp-card--chosen" : "", this.off(card) ? "cp-card--off" : ""];
    },
    shown(value) {
      return this.share && value !== null ? (100 * value).toFixed(0) : brief(value);
    },
    style(card) {
      const value = this.values?.[card];
      if (value === undefined || value === null || this.off(card)) return {};
      const [low, high] = this.limits;
      return shade(high > low ? (value - low) / (high - low) : 0.5);
    },
    words(card) {
      const value = this.values?.[card];
      return cardWords(card) + (value === undefined || value === null ? "" : `: ${this.shown(value)}${this.share ? " %" : ""}`);
    },
    pick(card) {
      if (!this.off(card)) this.$emit("pick", card);
    },
    key(event) {
      const to = arrow(event.key, SUITS.indexOf(this.current[1]), this.ranks.indexOf(this.current[0]), 4, this.ranks.length);
      if (!to) return;
      event.preventDefault();
      this.current = this.ranks[to[1]] + SUITS[to[0]];
      this.$nextTick(() => this.$refs.cards.querySelector(`[data-card="${this.current}"]`)?.focus());
    },
  },
};
