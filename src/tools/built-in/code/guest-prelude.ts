/**
 * The first script of every sandbox: gives the program its tools and its console, and takes clock and randomness from it.
 *
 * Text, as it is run by QuickJS, not by the process. It guards nothing: a program that breaks it breaks itself, as all
 * that leaves the sandbox are calls of tools by name, which the runtime checks.
 */
export const GUEST_PRELUDE = String.raw`(function (call, log, done, given) {
  'use strict';
  const { parse, stringify } = JSON;
  const settings = parse(given);

  for (const name of ['WeakRef', 'FinalizationRegistry', 'SharedArrayBuffer', 'Atomics']) delete globalThis[name];

  let seed = settings.seed >>> 0;
  Math.random = function random() {
    seed = (seed + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };

  // One moment for the whole program, and UTC for its local time: equal whenever and wherever it runs again.
  const Real = Date;
  const isZoned = /(?:Z|[+-]\d\d:?\d\d|GMT|UTC)\s*(?:\([^)]*\))?\s*$/i;
  const isDay = /^[+-]?\d{4,6}(?:-\d\d){0,2}$/;
  const parseDate = (text) => {
    const said = String(text);
    if (isZoned.test(said) || isDay.test(said)) return Real.parse(said);
    const universal = Real.parse(said + 'Z');
    return Number.isNaN(universal) ? Real.parse(said + ' UTC') : universal;
  };
  const moment = (parts) => {
    if (parts.length === 0) return settings.now;
    if (parts.length > 1) return Real.UTC(...parts);
    const [only] = parts;
    return typeof only === 'string' ? parseDate(only) : only;
  };
  function Pinned(...parts) {
    if (new.target === undefined) return new Real(settings.now).toString();
    return Reflect.construct(Real, [moment(parts)], new.target);
  }
  Pinned.prototype = Real.prototype;
  Pinned.prototype.constructor = Pinned;
  Pinned.now = () => settings.now;
  Pinned.parse = parseDate;
  Pinned.UTC = Real.UTC;
  Object.defineProperty(Pinned, 'name', { value: 'Date' });
  for (const part of ['Date', 'Day', 'FullYear', 'Hours', 'Milliseconds', 'Minutes', 'Month', 'Seconds']) {
    Real.prototype['get' + part] = Real.prototype['getUTC' + part];
    if (part !== 'Day') Real.prototype['set' + part] = Real.prototype['setUTC' + part];
  }
  Real.prototype.getTimezoneOffset = () => 0;
  Real.prototype.toString = Real.prototype.toUTCString;
  globalThis.Date = Pinned;

  const textOf = (value) => {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return value.name + ': ' + value.message;
    try {
      return stringify(value) ?? String(value);
    } catch {
      return String(value);
    }
  };
  const say = (...values) => log(values.map(textOf).join(' '));
  globalThis.console = { log: say, info: say, warn: say, error: say, debug: say };

  const waiting = new Map();
  let count = 0;
  const toolNamed = (name) =>
    function (input = {}) {
      const { stack } = new Error();
      return new Promise((resolve, reject) => {
        const text = stringify(input);
        if (text === undefined) throw new TypeError('the input of ' + name + ' is not JSON');
        call(name, text);
        waiting.set(count, { resolve, reject, stack });
        count += 1;
      });
    };
  const tools = {};
  for (const name of settings.tools) {
    const parts = name.split('.');
    const last = parts.pop();
    let holder = tools;
    for (const part of parts) {
      if (!Object.hasOwn(holder, part)) Object.defineProperty(holder, part, { value: {}, configurable: true, enumerable: true });
      holder = holder[part];
    }
    const value = Object.assign(toolNamed(name), Object.hasOwn(holder, last) ? holder[last] : {});
    Object.defineProperty(holder, last, { value, configurable: true, enumerable: true });
  }
  globalThis.tools = tools;

  const factsOf = (error) =>
    error instanceof Error
      ? { name: String(error.name), message: String(error.message), stack: String(error.stack ?? '') }
      : { name: 'Error', message: textOf(error), stack: '' };

  return {
    run: async (program) => {
      try {
        const value = await program();
        const text = stringify(value);
        done(true, text === undefined ? '' : text);
      } catch (error) {
        done(false, stringify(factsOf(error)));
      }
    },
    settle: (text) => {
      for (const { id, ok, value, error } of parse(text)) {
        const { resolve, reject, stack } = waiting.get(id);
        waiting.delete(id);
        if (ok) resolve(value);
        else reject(Object.assign(new Error(error.message), error, { name: 'ToolError', stack }));
      }
    },
  };
})`;
