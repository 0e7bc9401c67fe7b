// A file of the user on its way into the library, through the API, which checks it and says what is wrong with it.
export default {
  template: `
    <div class="cp-upload">
      <label class="cp-field"><span>{{ label }}</span><input ref="file" type="file" :accept="accept" :disabled="busy" @change="send"/></label>
      <p class="cp-note" aria-live="polite">{{ busy ? "Uploading and checking …" : "" }}</p>
      <p v-if="error" class="cp-error" role="alert">{{ error }}</p>
    </div>`,
  props: { label: String, accept: String },
  data() {
    return { busy: false, error: "" };
  },
  methods: {
    async send() {
      const file = this.$refs.file.files[0];
      if (!file) return;
      [this.busy, this.error] = [true, ""];
      try {
        const answer = await fetch(`/api/v1/uploads?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
        const told = await answer.json();
        if (answer.ok) this.$emit("done", told.name);
        else this.error = told.detail ?? "The file could not be uploaded.";
      } catch {
        this.error = "The server did not answer: try again.";
      }
      this.busy = false;
      this.$refs.file.value = "";
    },
  },
};
