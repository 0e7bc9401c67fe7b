// A table that sorts by its headings and filters by words and by names; long ones are shown in pieces.
// A change anywhere on a page renders all of its components again: `v-memo` spares the rows that are as they were.
import { brief, figure } from "counterpoise_cards";

export default {
  template: `
    <div class="cp-data">
      <div class="cp-data__filters" v-if="search || choices.length">
        <label v-if="search">{{ search }}<input type="search" v-model="text" :placeholder="hint"/></label>
        <label v-for="choice in choices" :key="choice.key">{{ choice.label }}
          <select :value="picked[choice.key] ?? ''" @change="picked[choice.key] = $event.target.value"><option value="">all</option>
            <option v-for="name in choice.names" :key="name" :value="name">{{ name }}</option></select></label>
        <span class="cp-note" aria-live="polite">{{ found.length }} of {{ rows.length }}</span>
      </div>
      <div class="cp-data__scroll" tabindex="0" role="region" :aria-label="label">
        <table>
          <thead><tr><th v-for="(column, c) in columns" :key="column.key" scope="col" :class="'cp-data--' + column.kind" :aria-sort="order(c)">
            <button type="button" @click="sortBy(c)">{{ column.label }}<span aria-hidden="true">{{ sort === c ? (down ? ' ▼' : ' ▲') : '' }}</span></button></th></tr></thead>
          <tbody v-memo="[found, shown, chosen, columns]"><tr v-for="row in found.slice(0, shown)" :key="row[0]" :class="{ 'cp-data__chosen': row[0] === chosen }" @click="$emit('row', row[0])">
            <td v-for="(column, c) in columns" :key="column.key" :class="'cp-data--' + column.kind">{{ write(row[c], column.kind) }}</td></tr></tbody>
        </table>
      </div>
      <button v-if="found.length > shown" type="button" class="cp-button" @click="shown += 200">Show more</button>
    </div>`,
  props: { label: String, columns: Array, data: String, also: String, search: String, hint: String, filters: Array, chosen: String, preset: String },
  data() {
    return { sort: -1, down: true, text: this.preset ?? "", picked: {}, shown: 50 };
  },
  watch: {
    preset(value) {
      this.text = value ?? "";
    },
  },
  computed: {
    rows() {
      return JSON.parse(this.data);
    },
    names() {
      return JSON.parse(this.also ?? "[]");
    },
    choices() {
      return (this.filters ?? []).filter((key) => this.columns.some((column) => column.key === key)).map((key) => {
        const c = this.columns.findIndex((column) => column.key === key);
        const names = new Set(this.rows.flatMap((row) => (row[c] ? String(row[c]).split(", ") : [])));
        return { key, place: c, label: this.columns[c].label, names: [...names].sort() };
      }).filter((choice) => choice.names.length > 1 || this.picked[choice.key]);
    },
    found() {
      const words = this.text.toLowerCase().split(/[\s,]+/).filter(Boolean);
      const says = (row, word) => row.some((value) => typeof value === "string" && value.toLowerCase().includes(word));
      const called = (k, word) => (this.names[k] ?? []).some((name) => name.toLowerCase().startsWith(word));
      let rows = this.rows.filter((row, k) => words.every((word) => says(row, word) || called(k, word)));
      for (const choice of this.choices) {
        const name = this.picked[choice.key];
        if (name) rows = rows.filter((row) => String(row[choice.place]).split(", ").includes(name));
      }
      if (this.sort < 0) return rows;
      const sign = this.down ? -1 : 1;
      return [...rows].sort((a, b) => this.compare(a[this.sort], b[this.sort], sign));
    },
  },
  methods: {
    compare(a, b, sign) {
      if (a === null || b === null) return (a === null) - (b === null);
      return sign * (typeof a === "string" ? a.localeCompare(b) : a - b);
    },
    sortBy(c) {
      this.down = this.sort === c ? !this.down : this.columns[c].kind !== "text";
      this.sort = c;
    },
    order(c) {
      return this.sort !== c ? "none" : this.down ? "descending" : "ascending";
    },
    write(value, kind) {
      if (value === null || value === undefined) return "–";
      return kind === "share" ? (100 * value).toFixed(1) + " %" : kind === "number" ? brief(value) : kind === "figure" ? figure(value) : value;
    },
  },
};
