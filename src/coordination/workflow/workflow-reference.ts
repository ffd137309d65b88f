import type { Json } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';

/** The name of the workflow's own input in references. */
export const INPUT = 'input';

/** The names of the current item, and its place, in references of a node that iterates over a list. */
export const ITEM_REFERENCES: ReadonlySet<string> = new Set(['item', 'index']);

/** A reference to what a node left: `${node.field.0}`. */
export interface Reference {
  readonly text: string;
  readonly node: string;
  readonly path: readonly string[];
}

/** The values that references are resolved by: outputs by node, and those of `input`, `item` and `index`. */
export interface Sources {
  readonly values: Readonly<Record<string, Json | undefined>>;
  /** Nodes that left nothing as they were skipped or failed: null, and so is all of it. */
  readonly absent?: ReadonlySet<string> | undefined;
}

/** A resolved template, or all problems of one that could not be resolved. */
export type Resolved =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly problems: readonly string[] };

/** `$${…}` stands for `${…}` itself. */
const REFERENCE = /(\$?)\$\{([A-Za-z0-9][\w-]*)((?:\.[\w-]+)*)\}/g;

/** All references in a template, in the order in which they stand there. */
export const referencesIn = (template: Json): readonly Reference[] => {
  if (typeof template === 'string')
    return [...template.matchAll(REFERENCE)].flatMap((match) =>
      match[1] === '$' ? [] : [referenceOf(match[0], match[2], match[3])],
    );
  if (Array.isArray(template)) return template.flatMap((item: Json) => referencesIn(item));
  if (!isJsonObject(template)) return [];
  return Object.values(template).flatMap((value) => (value === undefined ? [] : referencesIn(value)));
};

/**
 * A template with its references resolved.
 *
 * A string that is nothing but a reference becomes what it refers to, whatever that is; within a longer text it is written
 * out, as JSON where it is no text. All problems are named at once, each with its node and field.
 *
 * @example
 * resolve('On: ${search.title}', { values: { search: { title: 'tides' } } }) // => { ok: true, value: 'On: tides' }
 */
export const resolve = (template: Json, sources: Sources): Resolved => {
  const problems: string[] = [];
  const found = (reference: Reference): Json => {
    const value = lookUp(reference, sources);
    if (value.ok) return value.value;
    problems.push(...value.problems);
    return null;
  };
  const value = fill(template, found);
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems: [...new Set(problems)] };
};

const fill = (template: Json, found: (reference: Reference) => Json): Json => {
  if (typeof template === 'string') return fillText(template, found);
  if (Array.isArray(template)) return template.map((item: Json) => fill(item, found));
  if (!isJsonObject(template)) return template;
  return Object.fromEntries(
    Object.entries(template).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, fill(value, found)] as const],
    ),
  );
};

const fillText = (text: string, found: (reference: Reference) => Json): Json => {
  const [only] = text.matchAll(REFERENCE);
  if (only !== undefined && only[0] === text && only[1] === '')
    return found(referenceOf(text, only[2], only[3]));
  return text.replaceAll(REFERENCE, (all: string, escape: string, node: string, path: string) => {
    if (escape === '$') return all.slice(1);
    const value = found(referenceOf(all, node, path));
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
};

const referenceOf = (text: string, node = '', path = ''): Reference => ({
  text,
  node,
  path: path === '' ? [] : path.slice(1).split('.'),
});

const lookUp = ({ text, node, path }: Reference, sources: Sources): Resolved => {
  const { values, absent } = sources;
  if (absent?.has(node) === true) return { ok: true, value: null };
  let value = Object.hasOwn(values, node) ? values[node] : undefined;
  if (value === undefined) return missing(`${text}: there is no output of '${node}'`);
  for (const [depth, field] of path.entries()) {
    const next: Json | undefined = fieldOf(value, field);
    if (next === undefined) {
      const place = [node, ...path.slice(0, depth)].join('.');
      return missing(`${text}: '${place}' has no field '${field}' (${contentOf(value)})`);
    }
    value = next;
  }
  return { ok: true, value };
};

const fieldOf = (value: Json, field: string): Json | undefined => {
  if (Array.isArray(value))
    return /^\d+$/.test(field) ? (value as readonly Json[])[Number(field)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, field) ? value[field] : undefined;
};

const contentOf = (value: Json): string => {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (!isJsonObject(value)) return `a ${value === null ? 'null' : typeof value}`;
  const keys = Object.keys(value);
  return keys.length === 0 ? 'an object without fields' : `it has ${keys.join(', ')}`;
};

const missing = (problem: string): Resolved => ({ ok: false, problems: [problem] });
