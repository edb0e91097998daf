/* The frames of a film of the playback: the map as it is shown with the event of the frame, below it the time strip. */

import { frameEvents } from "../../components/playback_schedule.js";
import { drawTimeline } from "../../components/timeline_canvas.js";
import { timelineScale } from "../../components/timeline_scale.js";
import { cssColour, token } from "../../core/series_style.js";
import { drawSelection } from "../../map/markers.js";
import { contentOf, drawSheet, layersFor, layoutOf, textFont } from "../../map/image/sheet.js";
import { canvasOf, canvasSurface } from "../../map/image/surfaces.js";
import { near, unitX, unitY } from "../../map/projection.js";

const SIZE = { width: 960, height: 540 }; // as a page would have it
const RATIO = 4 / 3; // to 1280 × 720
const STRIP = 84;
const [TEXT_PX, TEXT_AT, STRIP_AT] = [12, 20, 28];
const DOT_PX = 5.5;

/**
 * What is played: `n` events at the times `time` (null for none), those from `first` to `last`; `runs` are landmarks,
 * hollow where `dummies` lie in them. `text(event, published)` names one, `selection(event, ids)` is what the map marks
 * of it where it shows the layers of these ids (see markers.js).
 *
 * @typedef {{n: number, time: ArrayLike<number> | null, first: number, last: number, runs: Run[], dummies: Run[],
 *   text: (event: number, published: boolean) => string, selection: (event: number, ids: string[]) => any}} Playback
 */

/** The same middle, and at least what was in view. @param {View} view
 * @param {{width: number, height: number}} size
 * @returns {View} */
export function viewFor(view, { width, height }) {
  const k = Math.min(width / view.width, height / view.height);
  return {
    ...{ width, height, zoom: view.zoom + Math.log2(k), scale: view.scale * k },
    left: (view.left + view.width / 2) * k - width / 2,
    top: (view.top + view.height / 2) * k - height / 2,
  };
}

/** Dots where releases put an event, without where it was. @param {CanvasRenderingContext2D} ctx
 * @param {View} view */
function drawPublished(ctx, { scale, left, top }, { links = [] }, middle) {
  for (const { lon, lat, colour } of links) {
    ctx.beginPath();
    ctx.arc(unitX(near(lon, middle)) * scale - left, unitY(lat) * scale - top, DOT_PX, 0, 2 * Math.PI);
    ctx.fillStyle = cssColour(colour);
    ctx.fill();
    [ctx.strokeStyle, ctx.lineWidth] = [token("--map"), 2];
    ctx.stroke();
  }
}

/** The strip without its playhead. @param {CanvasRenderingContext2D} ctx */
function drawStrip(ctx, { x, y }, scale, width, { n, runs, dummies }, published) {
  ctx.save();
  ctx.translate(x, y);
  drawTimeline(
    ctx,
    scale,
    width,
    published ? { n: 0, runs: [], dummies: [], other: null } : { n, runs, dummies, other: null },
  );
  ctx.restore();
}

/**
 * A film of `seconds`: {canvas, count, draw(k)}. With `published` it shows what the releases published and nothing
 * beside that.
 *
 * @param {import("../../map/image/save_dialog.js").MapSource} source
 * @param {import("../../map/image/sheet.js").Description} description
 * @param {Playback} playback
 * @param {import("../../map/image/sheet.js").FilmOptions} options
 */
export async function createFilm(source, description, playback, { seconds, fps, published }) {
  const drawn = layersFor(source.imageLayers(), description, published);
  const layers = drawn.filter(({ id }) => id !== "selection" && id !== "sketch");
  const { canvas, ctx } = canvasOf(SIZE.width, SIZE.height, RATIO);
  const content = contentOf(source.element, published ? layers : drawn, description);
  const layout = layoutOf(content, { ...SIZE, strip: STRIP }, (font, text) => {
    ctx.font = font;
    return ctx.measureText(text).width;
  });
  const { map } = layout;
  const shown = source.view();
  const view = viewFor(shown, map);
  const still = canvasSurface(SIZE, RATIO);
  await drawSheet(still, layout, { ...source, layers, shown, view });
  const below = { x: map.x, y: layout.strip + STRIP_AT };
  const scale = timelineScale(playback, map.width);
  drawStrip(still.ctx, below, scale, map.width, playback, published);
  const events = frameEvents(playback, seconds * fps);
  const ids = layers.map(({ id }) => id);

  /** @param {number} event */
  function drawEvent(event) {
    ctx.save();
    ctx.beginPath();
    ctx.rect(map.x, map.y, map.width, map.height);
    ctx.clip();
    ctx.translate(map.x, map.y);
    const selection = playback.selection(event, ids);
    if (published) drawPublished(ctx, view, selection, source.middle);
    else drawSelection(ctx, view, selection, source.middle);
    ctx.restore();
  }

  return {
    canvas,
    count: events.length,
    title: [content.title, ...content.foot].join(". "),
    /** @param {number} k */
    draw(k) {
      const event = events[k];
      ctx.drawImage(still.canvas, 0, 0, SIZE.width, SIZE.height);
      drawEvent(event);
      ctx.fillStyle = token("--foreground");
      ctx.font = textFont(TEXT_PX);
      ctx.fillText(playback.text(event, published), map.x, layout.strip + TEXT_AT);
      ctx.fillRect(below.x + scale.place(event) - 1, below.y + 2, 2, 32);
    },
  };
}
