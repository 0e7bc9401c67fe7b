// A labelled field: a line of text, several lines, or a choice; what is wrong with it stands below it.
export default {
  template: `
    <label class="cp-field">
      <span>{{ label }}</span>
      <textarea v-if="kind === 'area'" v-model="text" rows="3" spellcheck="false" :placeholder="hint" :aria-invalid="error ? 'true' : 'false'"
                :aria-describedby="error ? uid : null" @input="later" @change="now" @blur="now"></textarea>
      <select v-else-if="kind === 'select'" v-model="text" :aria-invalid="error ? 'true' : 'false'" :aria-describedby="error ? uid : null" @change="now">
        <option v-for="option in options" :key="option[0]" :value="option[0]">{{ option[1] }}</option></select>
      <input v-else v-model="text" type="text" spellcheck="false" autocomplete="off" :inputmode="kind === 'number' ? 'decimal' : null" :placeholder="hint"
             :aria-invalid="error ? 'true' : 'false'" :aria-describedby="error ? uid : null" @input="later" @change="now" @blur="now" @keydown.enter="now"/>
      <span v-if="error" class="cp-error" :id="uid" role="alert">{{ error }}</span>
    </label>`,
  props: { label: String, value: String, shown: Number, kind: String, hint: String, error: String, options: Array },
  data() {
    return { text: this.value, told: this.value, timer: null, uid: `cp-error-${Math.random().toString(36).slice(2)}` };
  },
  watch: {
    // Counted when the server puts another text here; answers to earlier texts must not undo what is typed meanwhile.
    shown() {
      clearTimeout(this.timer);
      this.text = this.told = this.value;
    },
  },
  methods: {
    later() {
      clearTimeout(this.timer);
      this.timer = setTimeout(this.now, 250);
    },
    now() {
      clearTimeout(this.timer);
      if (this.text === this.told) return;
      this.told = this.text;
      this.$emit("edit", [this.text, this.shown]);
    },
  },
};
