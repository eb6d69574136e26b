// A study as the server would tell it, for the browser's tests of the analyst's pages.
const pack = (t, shape, values) => {
  const kinds = { f8: Float64Array, u1: Uint8Array };
  return { t, s: shape, b: Buffer.from(new kinds[t](values).buffer).toString("base64") };
};
const j = (v) => ({ t: "json", v });
const models = ["LogisticRegression", "HistGradientBoosting", "RandomForest", "SVC", "KNeighbors"];
const xs = Array.from({ length: 41 }, (_, i) => i / 40);

export const info = { name: "breast_cancer", target: "diagnosis", task: "classes", rows: 569, pages: ["leaderboard", "what-if", "thresholds", "slices", "dependence", "learning-curve", "versus"], closed: { slices: "The table is not here. Open it with: novum lab run/ --data table.csv" } };

const control = (name, kind, more) => ({ name, kind, ...more });
const page = (name, controls, state, values, arrays, views, notes = []) => ({
  v: 1, page: name, controls, state: { ...Object.fromEntries(controls.map((c) => [c.name, c.default])), ...state }, values, arrays, views, say: null, notes,
});

const PAGES = {
  leaderboard: (s) =>
    page("leaderboard", [control("measure", "choice", { title: "Measure", choices: ["log_loss", "auc"], choice_titles: ["log-loss", "area under ROC"], default: "log_loss" }), control("model", "choice", { choices: models, default: models[0], drag: "none" })], s, { best: 0.0712 },
      { columns: j(["Model", "log-loss", "from", "to", "seconds"]), rows: j(models.map((m, i) => [m, 0.0712 + i * 0.011, 0.05 + i * 0.01, 0.1 + i * 0.012, 0.2 + i])), chosen: j([models.indexOf(s.model ?? models[0])]), middle: pack("f8", [5], models.map((_, i) => 0.0712 + i * 0.011)), low: pack("f8", [5], models.map((_, i) => 0.05 + i * 0.01)), high: pack("f8", [5], models.map((_, i) => 0.1 + i * 0.012)), names: j(models) },
      [{ kind: "table", id: "table", title: "Models", columns: "columns", rows: "rows", marked: "chosen", pick: "model" }, { kind: "intervals", id: "scores", title: "Scores with intervals", middle: "middle", low: "low", high: "high", labels: "names" }, { kind: "number", id: "best", title: "Best log-loss", value: "best" }]),
  "what-if": (s) =>
    page("what-if", [control("radius", "slider", { title: "mean radius", min: 4, max: 34, default: 14.1, warn: [6.9, 28.1] }), control("smooth", "slider", { title: "mean smoothness", min: 0, max: 0.3, default: 0.09, warn: [0.05, 0.16] }), control("level", "slider", { title: "Level of the set", min: 0.5, max: 0.99, default: 0.9 })], s, { p: 1 / (1 + Math.exp(-((s.radius ?? 14.1) - 15))), at: s.radius ?? 14.1 },
      { p: pack("f8", [2], [1 - 1 / (1 + Math.exp(-((s.radius ?? 14.1) - 15))), 1 / (1 + Math.exp(-((s.radius ?? 14.1) - 15)))]), classes: j(["benign", "malignant"]), parts: pack("f8", [4], [0.4, -0.2, 0.1, -0.05]), names: j(["mean radius", "texture", "area", "symmetry"]), x: pack("f8", [41], xs.map((v) => 4 + 30 * v)), curve: pack("f8", [41], xs.map((v) => 1 / (1 + Math.exp(-(30 * v - 11))))) },
      [{ kind: "bars", id: "p", title: "Probabilities", values: "p", labels: "classes", by_class: true, horizontal: true, domain: [0, 1] }, { kind: "bars", id: "parts", title: "Contributions", values: "parts", labels: "names", horizontal: true }, { kind: "curve", id: "along", title: "Along mean radius", x: "x", series: [{ array: "curve", label: "value.p" }], marker: "at", drag: "radius" }, { kind: "number", id: "p1", title: "P(malignant)", value: "p" }]),
  thresholds: (s) =>
    page("thresholds", [control("threshold", "slider", { title: "Threshold", min: 0, max: 1, default: 0.5 }), control("costs", "matrix", { title: "Costs", rows: 2, cols: 2, min: 0, max: 100, labels: ["says no", "says yes"], default: [[0, 1], [5, 0]] })], s, { threshold: s.threshold ?? 0.5, recall: 0.93 },
      { confusion: pack("f8", [2, 2], [71, 1, 3, 39]), classes: j(["benign", "malignant"]), x: pack("f8", [41], xs), cost: pack("f8", [41], xs.map((v) => 0.1 + (v - 0.3) ** 2)), low: pack("f8", [41], xs.map((v) => 0.05 + (v - 0.3) ** 2)), high: pack("f8", [41], xs.map((v) => 0.17 + (v - 0.3) ** 2)) },
      [{ kind: "curve", id: "cost", title: "Expected cost", x: "x", series: [{ array: "cost", low: "low", high: "high", label: "value.cost" }], marker: "threshold", drag: "threshold" }, { kind: "heat", id: "confusion", title: "Confusion", values: "confusion", rows: "classes", columns: "classes", text: true }, { kind: "number", id: "recall", title: "Recall", value: "recall" }]),
};
for (const name of ["dependence", "learning-curve", "versus"]) PAGES[name] = (s) => ({ ...PAGES.thresholds(s), page: name });

/** Answer the study's requests of a page of Playwright's. */
export async function fake(page) {
  await page.route("**/api/scenes", async (route) => {
    const answer = await (await route.fetch()).json();
    await route.fulfill({ json: { ...answer, study: info } });
  });
  await page.route("**/api/study/*", async (route) => {
    const name = new URL(route.request().url()).pathname.split("/").at(-1);
    const { state } = route.request().postDataJSON();
    if (name === "script") return route.fulfill({ json: { python: "from novum.study import Study\n\nprint(Study('breast_cancer.csv', 'diagnosis').run())\n" } });
    return route.fulfill({ json: PAGES[name](state) });
  });
}
