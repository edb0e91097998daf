/* A track of two people, the second north of the first. */
import { Track } from "../../../static/js/trajectory/track.js";

const column = (...values) => Int32Array.from(values);
export const track = new Track({
  lonE7: column(0, 1e7, 2e7, 0, 1e7),
  latE7: column(0, 0, 0, 5e7, 5e7),
  y: column(0, 0, 0, 1e8, 1e8),
  event: column(0, 4, 9, 10, 19),
  ends: column(3, 3, 5),
});
