/* What the benchmark measures in a page; it is loaded before the page's own scripts. */

window.measure = (() => {
  const drawn = new Map(); // layer -> when it was painted first
  const tasks = [];
  const loading = [];
  let ready = null;
  new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => tasks.push(duration))).observe({
    type: "longtask",
    buffered: true,
  });
  performance.setResourceTimingBufferSize(2000);

  const canvases = () => [...document.querySelectorAll("canvas[data-layer]")];
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const after = () => new Promise((resolve) => setTimeout(resolve));

  (async function watch() {
    for (;;) {
      await frame();
      for (const { dataset } of canvases())
        if (dataset.drawn && !drawn.has(dataset.layer)) drawn.set(dataset.layer, performance.now());
      if (!ready && document.querySelector("[data-bench][data-ready=all]")) ready = performance.now();
      if (ready) return;
    }
  })();

  const whole = () =>
    performance.getEntriesByType("resource").filter(({ name }) => /\/track\/\?/.test(name) && !/west=/.test(name));

  /** The later of the layers' first renderings, after its data arrived. */
  function firsts() {
    const waits = whole().map(({ name, responseEnd }) => {
      const id = name.match(/releases\/([^/]+)/)?.[1] ?? "original";
      return drawn.get(id) - responseEnd;
    });
    const early = drawn.get("early-original") ?? null; // the server's rendering of it, since the page was requested
    return {
      first: Math.max(...waits),
      early,
      whole: drawn.get("original"),
      ready,
      bytes: whole().reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    };
  }

  /** A key on the map, until the frame after it is rendered. */
  async function key(name) {
    const map = document.querySelector(".map");
    await frame();
    await after();
    const before = canvases().map(({ dataset }) => dataset.drawn);
    const began = performance.now();
    if (window.measured) window.measured(name);
    else
      map.dispatchEvent(new KeyboardEvent("keydown", { key: name, shiftKey: name.startsWith("Arrow"), bubbles: true }));
    do await frame();
    while (!window.measured && canvases().some(({ dataset }, i) => dataset.drawn === before[i]));
    await frame();
    await after();
    return performance.now() - began;
  }

  function sources() {
    const names = performance.getEntriesByType("resource").map(({ name }) => name);
    const box = document.querySelector(".map").getBoundingClientRect();
    return {
      leaflet: names.find((name) => /leaflet[^/]*\.js/.test(name)),
      style: names.find((name) => /leaflet[^/]*\.css/.test(name)),
      decoder: names.find((name) => /\/js\/track[^/]*\.js/.test(name)),
      tracks: whole().map(({ name }) => name),
      width: box.width,
      height: box.height,
    };
  }

  /** The same tracks as plain polylines on Leaflet's canvas; how long from the arrays to the rendering. */
  async function leaflet({ decoder, tracks, width, height }) {
    const { fetchTrack } = await import(decoder);
    const read = [];
    for (const url of tracks) read.push(await fetchTrack(url, { time: false }));
    const host = document.createElement("div");
    Object.assign(host.style, {
      position: "fixed",
      inset: "0 auto auto 0",
      width: `${width}px`,
      height: `${height}px`,
      zIndex: 9,
    });
    document.body.append(host);
    const L = window.L;
    const map = L.map(host, {
      preferCanvas: true,
      zoomAnimation: false,
      inertia: false,
      zoomSnap: 0.25,
      zoomDelta: 0.75,
      attributionControl: false,
    });
    const began = performance.now();
    const lines = read.map((track, k) => {
      const places = Array.from({ length: track.n }, (_, i) => [track.latAt(i), track.lonAt(i)]);
      return L.polyline(places, { weight: 1.5, color: k ? "#e69f00" : "#22201c" });
    });
    map.fitBounds(lines[0].getBounds(), { padding: [36, 36], animate: false });
    lines.forEach((line) => line.addTo(map));
    await frame();
    await frame();
    await after();
    const ways = { ArrowLeft: [-80, 0], ArrowRight: [80, 0], ArrowUp: [0, -80], ArrowDown: [0, 80] };
    window.measured = (name) => {
      if (ways[name]) map.panBy(ways[name], { animate: false });
      else if (name === "+") map.zoomIn(0.75, { animate: false });
      else map.zoomOut(0.75, { animate: false });
    };
    return performance.now() - began;
  }

  return { firsts, key, leaflet, sources, tasks, loading };
})();
