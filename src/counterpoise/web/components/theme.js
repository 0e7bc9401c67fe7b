// The theme follows the system unless one is chosen, which this browser remembers; and the keys of undo and redo.
(() => {
  document.documentElement.lang = "en";
  const KEY = "counterpoise-theme";
  const chosen = () => { try { return localStorage.getItem(KEY) || "system"; } catch { return "system"; } };
  const apply = () => window.Quasar?.Dark.set({ dark: true, light: false }[chosen()] ?? "auto");
  window.addEventListener("load", () => {
    const wait = setInterval(() => {
      const select = document.getElementById("cp-theme");
      if (!select || !window.Quasar) return;
      clearInterval(wait);
      select.value = chosen();
      apply();
    }, 30);
  });
  window.counterpoiseTheme = (name) => {
    try { localStorage.setItem(KEY, name); } catch { /* private windows may refuse */ }
    apply();
  };
  window.addEventListener("popstate", () => emitEvent("cp-address", location.pathname + location.search));
  window.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    if (!(event.ctrlKey || event.metaKey) || event.altKey || !["z", "y"].includes(key)) return;
    if (event.target.matches("input:not([type=range]), textarea")) return;
    event.preventDefault();
    emitEvent(key === "y" || event.shiftKey ? "cp-redo" : "cp-undo");
  });
})();
