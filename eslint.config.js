/* Few rules, each with its reason; `make check` runs them. Node is needed here and nowhere else. */
import js from "@eslint/js";
import globals from "globals";

/** Folders from the lowest up: a module imports from its own folder and from those below. */
const LAYERS = ["core", "map", "charts", "components", "trajectory", "pages"];

const layerRules = LAYERS.map((layer, i) => ({
  files: [`static/js/${layer}/**`],
  rules: {
    "no-restricted-imports": [
      "error",
      {
        patterns: LAYERS.slice(i + 1).map((above) => ({
          group: [`**/${above}/**`],
          message: `${layer}/ lies below ${above}/.`,
        })),
      },
    ],
  },
}));

const only = (name, place) => ({ name, message: `Only ${place} uses it.` });
const LEAFLET = only("L", "map/");
const PLOTLY = only("Plotly", "charts/chart.js");
const onWindow = ({ name, message }) => ({ object: "window", property: name, message });

export default [
  { ignores: ["node_modules/", ".venv/", "build/", "var/", "staticfiles/", "static/plotly/", "static/vendor/"] },
  js.configs.recommended, // likely bugs, what is unused and what is not defined
  {
    files: ["static/js/**/*.js"],
    languageOptions: { globals: globals.browser },
    rules: {
      eqeqeq: "error", // null and undefined are distinguished on purpose
      "no-unused-vars": ["error", { ignoreRestSiblings: true }],
      "no-var": "error",
      "prefer-const": "error",
      "no-implied-eval": "error", // the content security policy forbids it
      "no-new-func": "error",
      "max-len": ["error", { code: 120 }],
      "max-lines": ["error", 400],
      "max-lines-per-function": ["error", { max: 80, skipComments: true }],
      "no-restricted-globals": ["error", LEAFLET, PLOTLY],
      "no-restricted-properties": ["error", onWindow(LEAFLET), onWindow(PLOTLY)],
      "no-restricted-syntax": [
        "error",
        {
          selector: "AssignmentExpression[left.property.name=/^(inner|outer)HTML$/]",
          message: "Markup from data is an injection: build elements.",
        },
        {
          selector: "CallExpression[callee.property.name='insertAdjacentHTML']",
          message: "Markup from data is an injection: build elements.",
        },
      ],
    },
  },
  ...layerRules,
  {
    files: ["static/js/map/**"],
    languageOptions: { globals: { L: "readonly" } },
    rules: { "no-restricted-globals": ["error", PLOTLY], "no-restricted-properties": ["error", onWindow(PLOTLY)] },
  },
  { files: ["static/js/charts/chart.js"], rules: { "no-restricted-properties": ["error", onWindow(LEAFLET)] } },
  {
    files: ["static/js/core/theme.js", "static/js/pages/swagger_layout.js"],
    languageOptions: { sourceType: "script" },
  },
  { files: ["benchmarks/**/*.js"], languageOptions: { globals: globals.browser, sourceType: "script" } },
  { files: ["*.js"], languageOptions: { globals: globals.node } },
  {
    files: ["tests/js/**/*.mjs"],
    languageOptions: { globals: globals.nodeBuiltin },
    rules: {
      eqeqeq: "error",
      "prefer-const": "error",
      "max-len": ["error", { code: 120 }],
      "max-lines": ["error", 400],
    },
  },
];
