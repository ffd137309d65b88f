import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Reference } from './workflow-builder.ts';
import { REFERS } from './workflow-builder.ts';

const TEXT = Symbol('troupe.reference');

/**
 * References by field access: `from.search.title` stands for `${search.title}`, and converts to that text.
 *
 * Values are not known yet, so every field can be named (except `toString` and `toJSON`), and `at` can be called on every field for an
 * index.
 */
export const references = (path: readonly string[] = []): Reference<never> => {
  const text = (): string => `\${${path.join('.')}}`;
  const at = (index: number): Reference<never> => references([...path.slice(0, -1), String(index)]);
  const refers = (): never => {
    throw new TroupeError(
      'workflow.invalid',
      `Cannot read ${text()} as the workflow does not run yet: a reference only names a value`,
    );
  };
  // A proxy has every field: the types restrict it.
  return new Proxy(Object.assign(at, { [TEXT]: text(), [REFERS]: refers }), {
    get: (target, field) => {
      if (field === TEXT) return target[TEXT];
      if (field === REFERS) return target[REFERS];
      if (field === 'toString' || field === 'toJSON' || field === Symbol.toPrimitive) return text;
      return typeof field === 'symbol' ? undefined : references([...path, field]);
    },
  });
};

/**
 * A text with references, as a template tag: the same as a plain template literal, which linters may reject.
 *
 * @example
 * text`Write about ${from.search.title}.` // => 'Write about ${search.title}.'
 */
export const text = (
  parts: TemplateStringsArray,
  ...values: readonly (Reference<unknown> | string | number)[]
): string => String.raw({ raw: parts }, ...values.map(String));

/** A template as plain JSON, with references as text. */
export const plainTemplate = (template: unknown): Json => {
  if (isReference(template)) return template[TEXT];
  if (Array.isArray(template)) return template.map(plainTemplate);
  if (typeof template !== 'object' || template === null || 'toJSON' in template) return toJson(template);
  return Object.fromEntries(
    Object.entries(template).flatMap(([key, value]: [string, unknown]) =>
      value === undefined ? [] : [[key, plainTemplate(value)] as const],
    ),
  );
};

const isReference = (value: unknown): value is { readonly [TEXT]: string } =>
  typeof value === 'function' && TEXT in value;
