/* Swagger UI without the parts that the page has itself, and without a main landmark inside the page's own. */

window.cairnLayout = ({ React: { createElement } }) => ({
  components: {
    CairnLayout: ({ getComponent, specSelectors }) => {
      const part = (name, container) => createElement(getComponent(name, container));
      const state = specSelectors.loadingStatus();
      if (state === "loading") return createElement("p", { className: "muted" }, "Loading the endpoints …");
      if (state === "failed" || state === "failedConfig")
        return createElement(
          "p",
          { className: "notice notice--error", role: "alert" },
          "The schema could not be loaded. Reload the page.",
        );
      return createElement(
        "div",
        { className: "swagger-ui" },
        part("SvgAssets"),
        part("errors", true),
        part("AuthorizeBtnContainer", true),
        part("operations", true),
      );
    },
  },
});
