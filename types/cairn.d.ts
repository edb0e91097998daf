/* Shapes that several modules of static/js share; nothing here exists at run time. */

/** Leaflet and Plotly are scripts of the page. */
import type * as Leaflet from "leaflet";

declare global {
  const L: typeof Leaflet;
  /** Listeners of the page are called with elements. */
  interface EventTarget {
    closest(selector: string): any;
    matches(selector: string): boolean;
    dataset: DOMStringMap;
  }
  /** Elements of the page are HTML or SVG: both have these. */
  interface Element {
    dataset: DOMStringMap;
    focus(options?: FocusOptions): void;
  }
  /** A context that writes vectors, see static/js/map/image/svg_context.js. */
  interface CanvasRenderingContext2D {
    isVector?: boolean;
  }
  interface DocumentEventMap {
    "cairn:jobs": CustomEvent<{ ended: any[]; begun: any[]; open: any[] }>;
    "cairn:progress": CustomEvent<any[]>;
    "cairn:theme": CustomEvent<string>;
  }
  interface Window {
    Plotly: any;
    cairnLayout: any;
  }

  /** Degrees: [west, south, east, north]; west > east crosses the antimeridian. */
  type Bounds = [number, number, number, number];
  /** Events [start, end). */
  type Run = [number, number];
  /** Pixels. */
  type Point = { x: number; y: number };
  type Camera = { lon: number; lat: number; zoom: number };
  /** Where the unit square of the world lies on the screen: x px = unit x · scale − left, y px = unit y · scale − top. */
  type View = { width: number; height: number; zoom: number; scale: number; left: number; top: number };
  type Pointer = { lon: number; lat: number; point: Point; shift: boolean };
  /** A layer's drawing for another view; `redraw` is called once what `isPending` waits for can be drawn. */
  type CopyLayer = (redraw: () => void) => { draw: DrawLayer; isPending?: () => boolean };
  type DrawLayer = (ctx: CanvasRenderingContext2D, view: View, part: boolean) => unknown;
  /** What a layer draws of `shown`, on a map around the longitude `middle`. */
  type DrawOn<Shown> = (ctx: CanvasRenderingContext2D, view: View, shown: Shown, middle: number) => void;

  /** "#e69f00", a design token ("--accent") or a hue with one colour for each theme. */
  type Colour = string | { name?: string; light: string; dark: string };
  /** A line of the palette. */
  type LineStyle = { name?: string; index?: number; colour: Colour; dash: string; pattern?: string; marker?: string };

  /** Positions of a series: 1e-7 degrees, heights of 2^32 to the world, seconds. */
  type TrackData = {
    n: number;
    lonE7: Int32Array;
    latE7: Int32Array;
    y: Int32Array;
    time: Float64Array | null;
    event: Int32Array | null;
    ends: Int32Array | null;
  };
  /** `inside`: the label is in the middle of the zone and not above it. */
  type Zone =
    | { type: "Polygon"; coordinates: [number, number][][]; label?: string; inside?: boolean }
    | { type: "Circle"; center: [number, number]; radius_m: number; label?: string; inside?: boolean };
  /** A place that an adversary looked for, and where a release puts it. */
  type Guess = {
    title: string;
    lon: number | null;
    lat: number | null;
    found_lon: number | null;
    found_lat: number | null;
  };
  type ErrorLines = {
    id: string;
    original: TrackData;
    release: TrackData;
    range?: Run | null;
    colour: Colour;
    order?: number;
    onStride?: (k: number) => void;
  };
  /** Where columns lie in the plots of a comparison of count streams, px, see static/js/stream/plot_scale.js. */
  type PlotScale = {
    columns: number;
    width: number;
    left: number;
    inner: number;
    xOf: (column: number) => number;
    middleOf: (column: number) => number;
    columnAt: (x: number) => number;
  };
  /** Counts of dimensions in columns, see static/js/stream/comparison_data.js. */
  type Cells = {
    columns: number;
    dimensions: number;
    values: Float64Array;
    row: (dimension: number) => Float64Array;
    at: (dimension: number, column: number) => number;
  };
  /** A grid on the map, degrees. */
  type Grid = { west: number; south: number; east: number; north: number; columns: number; rows: number };
  type RequestOptions = {
    body?: any;
    signal?: AbortSignal;
    headers?: Record<string, string>;
    background?: boolean; // refused where the session has ended, without a dialog
  };
  type TransferOptions = {
    body?: XMLHttpRequestBodyInit;
    headers?: Record<string, string>;
    signal?: AbortSignal;
    onProgress?: (sent: number, all: number) => void;
  };
  type PollOptions = {
    until?: (answer: any) => boolean;
    every?: number;
    onUpdate?: (answer: any) => void;
    signal?: AbortSignal;
  };
  /** An error of the API. */
  type ApiProblem = { code?: string; field?: string; message: string } & Record<string, any>;
  /** A form field, as the API describes it. */
  type Field = { name: string; label: string } & Record<string, any>;
  /** An option of a reader that names a column. */
  type Role = { name: string; label: string; needed: boolean };
  /** The domain of a number field. */
  type NumberRule = { minimum?: number; maximum?: number; whole?: boolean; required?: boolean; repeated?: boolean };
}
