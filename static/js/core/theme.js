/* Light, dark or as the system prefers. A classic script in the head, so that the first paint has the right colours. */
(() => {
  const sheet = /** @type {HTMLLinkElement} */ (document.getElementById("dark-sheet"));
  const system = "(prefers-color-scheme: dark)";

  const stored = () => {
    try {
      const choice = localStorage.getItem("theme");
      return choice === "light" || choice === "dark" ? choice : "system";
    } catch {
      return "system"; // storage may be forbidden; the system's preference still holds
    }
  };

  const apply = () => {
    const choice = stored();
    sheet.media = { light: "not all", dark: "all", system }[choice];
    document.documentElement.dataset.theme = matchMedia(sheet.media).matches ? "dark" : "light";
    document.dispatchEvent(new CustomEvent("cairn:theme", { detail: document.documentElement.dataset.theme }));
  };

  apply();
  matchMedia(system).addEventListener("change", apply);
  addEventListener("storage", apply);

  addEventListener("DOMContentLoaded", () => {
    /** @type {NodeListOf<HTMLInputElement>} */
    const inputs = document.querySelectorAll("input[name=theme]");
    for (const input of inputs) {
      input.checked = input.value === stored();
      input.addEventListener("change", () => {
        try {
          localStorage.setItem("theme", input.value);
        } catch {
          return;
        }
        apply();
      });
    }
  });
})();
