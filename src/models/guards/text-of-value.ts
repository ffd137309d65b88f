import { isObject } from '../../base/schemas/option-schemas.ts';
import { toJson } from '../../base/json/json.ts';

/** Nothing deeper is looked at: it is refused as a whole. */
const DEEPEST = 200;

/** The text of a value for guards: its texts, names and numbers, a line for each. */
export const textOfValue = (value: unknown, depth = 0): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (!isObject(value)) return '';
  if (depth > DEEPEST) throw new RangeError('a value is nested too deeply');
  const plain = plainOf(value);
  if (Array.isArray(plain)) return lines(plain.map((item) => textOfValue(item, depth + 1)));
  return lines(
    entriesOf(plain).map(([name, item]) => {
      const text = textOfValue(item, depth + 1);
      return typeof name === 'symbol' || text === '' ? text : `${name}: ${text}`;
    }),
  );
};

const lines = (texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n');

/** The value with each of its texts and numbers mapped; what is no text stays as it is. */
export const mapTexts = async (value: unknown, map: (text: string) => Promise<string>): Promise<unknown> => {
  if (typeof value === 'string') return map(value);
  if (typeof value === 'number' || typeof value === 'bigint') {
    const text = await map(String(value));
    return text === String(value) ? value : text;
  }
  if (!isObject(value)) return value;
  const plain = plainOf(value);
  if (Array.isArray(plain)) {
    const items: unknown[] = [];
    for (const item of plain) items.push(await mapTexts(item, map));
    return items;
  }
  const kept: Record<PropertyKey, unknown> = { ...plain };
  for (const [name, item] of entriesOf(plain)) {
    const shown = typeof name === 'string' ? await map(name) : name;
    const mapped = await mapTexts(item, map);
    if (shown !== name) Reflect.deleteProperty(kept, name);
    Object.defineProperty(kept, shown, {
      value: mapped,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return kept;
};

const MEDIA = new Set<unknown>(['image', 'audio', 'file']);

/** The properties of an object that have texts: of media only its name and address, as bytes are none. */
const entriesOf = (value: object): readonly (readonly [string | symbol, unknown])[] => {
  const all = Reflect.ownKeys(value).map((name) => [name, Reflect.get(value, name) as unknown] as const);
  return MEDIA.has(Reflect.get(value, 'type')) && ('hash' in value || 'data' in value || 'url' in value)
    ? all.filter(([name]) => name === 'name' || name === 'url')
    : all;
};

/** Plain objects and lists as they are, as a tool's result in two languages is marked by a symbol; others as their JSON. */
const plainOf = (value: object): object => {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value) || prototype === Object.prototype || prototype === null) return value;
  const json = toJson(value);
  return isObject(json) ? json : [json];
};
