// What may be done now: a button per action with its key, an amount to bet or raise to, and what comes after the end.
const TYPING = "input, textarea, select";

export default {
  template: `
    <div class="cp-actions" role="group" :aria-label="label">
      <button v-for="(one, k) in menu" :key="one.action" type="button" class="cp-button cp-actions__one" :class="{ 'cp-button--main': one.action === main }"
              :aria-keyshortcuts="keyOf(one, k) || null" @click="act(one.action)">{{ one.words }}<kbd v-if="keyOf(one, k)" aria-hidden="true">{{ keyOf(one, k) }}</kbd></button>
      <form v-if="least !== null" class="cp-actions__amount" @submit.prevent="send">
        <label class="cp-field"><span>{{ amountLabel }} ({{ least.toLocaleString("en") }} to {{ most.toLocaleString("en") }})</span>
          <input ref="amount" v-model="amount" type="text" autocomplete="off" aria-keyshortcuts="r" @keydown.esc="$refs.amount.blur()"/></label>
        <button type="submit" class="cp-button">{{ amountWords }}<kbd aria-hidden="true">r, Enter</kbd></button>
      </form>
      <button v-if="next" type="button" class="cp-button cp-button--main cp-actions__one" aria-keyshortcuts="n" @click="$emit('next')">{{ next }}<kbd aria-hidden="true">n</kbd></button>
    </div>`,
  props: {
    label: String, menu: Array, main: String, next: String, amountLabel: String, amountWords: String,
    least: { type: Number, default: null }, most: { type: Number, default: null },
  },
  data() {
    return { amount: "" };
  },
  mounted() {
    window.addEventListener("keydown", this.key);
  },
  unmounted() {
    window.removeEventListener("keydown", this.key);
  },
  watch: {
    menu() {
      this.amount = "";
    },
  },
  methods: {
    keyOf(one, k) {
      if (one.action === "f" || one.action === "c") return one.action;
      return this.least === null && k < 9 ? String(k + 1) : "";
    },
    act(action) {
      if (this.menu.some((one) => one.action === action)) this.$emit("act", action);
    },
    send() {
      const text = this.amount.replace(/[\s,]/g, "");
      this.$emit("amount", text === "" ? String(this.least) : text);
      this.$refs.amount?.blur();
    },
    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.(TYPING)) return;
      const key = event.key.toLowerCase();
      const chosen = this.menu.find((one, k) => this.keyOf(one, k) === key);
      if (chosen) this.act(chosen.action);
      else if (key === "n" && this.next) this.$emit("next");
      else if (this.least !== null && (key === "r" || key === "b" || /^[0-9]$/.test(key))) {
        if (/^[0-9]$/.test(key)) this.amount = key;
        else this.$refs.amount.select();
        this.$refs.amount.focus();
      } else return;
      event.preventDefault();
    },
  },
};
