// A slider for a share from 0 to 100 %, with its number beside it.
export default {
  template: `
    <label class="cp-field">
      <span>{{ label }}</span>
      <span class="cp-range__weight"><input type="range" min="0" max="100" step="0.5" v-model.number="percent" :aria-label="label"
        @change="$emit('slide', percent)"/><output>{{ percent }} %</output></span>
    </label>`,
  props: { label: String, value: Number },
  data() {
    return { percent: this.value };
  },
};
