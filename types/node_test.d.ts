/* What tests/js uses of Node's own modules; its whole types are no dependency of Cairn. */

declare module "node:test" {
  type Run = (t: any) => void | Promise<void>;
  export function test(name: string, run: Run): Promise<void>;
  export function test(name: string, options: Record<string, any>, run: Run): Promise<void>;
  export function describe(name: string, run: () => void): Promise<void>;
  export function before(run: () => void | Promise<void>): void;
  export function after(run: () => void | Promise<void>): void;
  export function beforeEach(run: () => void | Promise<void>): void;
  export function afterEach(run: () => void | Promise<void>): void;
  export const mock: any;
}
declare module "node:assert/strict" {
  const assert: any;
  export default assert;
}
declare module "node:fs" {
  export function readdirSync(path: string | URL): string[];
  export function readFileSync(path: string | URL): Uint8Array<ArrayBuffer>;
  export function readFileSync(path: string | URL, encoding: "utf8"): string;
}
declare module "node:zlib" {
  export function gunzipSync(bytes: Uint8Array): Uint8Array;
  export function gzipSync(bytes: Uint8Array): Uint8Array;
  export function inflateSync(bytes: Uint8Array): Uint8Array;
}
declare module "node:crypto" {
  export function createHash(name: string): { update(bytes: Uint8Array): { digest(encoding: "base64"): string } };
}
declare module "node:timers" {
  export function setImmediate(run: (value?: any) => void): void;
}
