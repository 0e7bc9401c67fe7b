// The tree of lines along the way that was taken: at every step what could be done, and how often it is.
import { SUIT_SIGNS, percent } from "counterpoise_cards";

export default {
  template: `
    <nav class="cp-lines" aria-label="Line" ref="lines">
      <ol>
        <li v-for="step in steps" :key="step.node" class="cp-step" :class="{ 'cp-step--here': step.node === node }">
          <button type="button" class="cp-step__title" :aria-current="step.node === node ? 'step' : null" @click="go(step.node)">
            <b>{{ step.player === 'chance' ? 'Deal' : step.player.toUpperCase() }}</b><span>pot {{ step.pot }}</span></button>
          <template v-if="step.player === 'chance'">
            <span v-if="step.card" class="cp-step__card" :class="'cp-card--' + step.card[1]">{{ step.card[0] }}<i>{{ signs[step.card[1]] }}</i></span>
            <span v-else class="cp-step__hint">choose a card</span>
          </template>
          <template v-else>
            <button type="button" v-for="option in step.options" :key="option.label" class="cp-option"
                    :class="{ 'cp-option--chosen': option.node === step.chosen }" :disabled="option.after === 'end'"
                    :aria-pressed="option.node === step.chosen ? 'true' : 'false'" :data-node="option.node" @click="go(option.node)">
              <span class="cp-option__box" :style="{ background: option.colour }"></span>{{ option.words }}
              <small>{{ percent(option.frequency, 0) }}</small></button>
          </template>
        </li>
      </ol>
    </nav>`,
  props: { steps: Array, node: String },
  data() {
    return { signs: SUIT_SIGNS };
  },
  watch: {
    node: "follow",
  },
  mounted() {
    this.follow();
  },
  methods: {
    follow() {
      // After the next picture: asking for the width earlier would lay the whole page out once more.
      requestAnimationFrame(() => setTimeout(() => this.$refs.lines?.scrollTo({ left: this.$refs.lines.scrollWidth })));
    },
    percent,
    go(node) {
      this.$emit("go", node);
    },
  },
};
