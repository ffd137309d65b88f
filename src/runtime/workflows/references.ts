import type { Json } from '../../contracts/json.ts';
import { toJson } from '../../contracts/json.ts';
import { TroupeError } from '../../contracts/error.ts';
import type { Reference } from './workflow-builder.ts';
import { REFERS } from './workflow-builder.ts';

const TEXT = Symbol('troupe.reference');

/**
 * References by field access: `from.search.title` stands for `${search.title}`, and reads as that in a text.
 *
 * Nothing is known of what there will be, so every field can be named (`toString` and `toJSON` excepted), and every field
 * `at` can be called for a place in a list.
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
  // A proxy has every field that it is asked for: the types say which ones there are.
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
 * A text with references in it, as a tag: what a plain template makes of them, too, but linters let it pass.
 *
 * @example
 * text`Write about ${from.search.title}.` // => 'Write about ${search.title}.'
 */
export const text = (
  parts: TemplateStringsArray,
  ...values: readonly (Reference<unknown> | string | number)[]
): string => String.raw({ raw: parts }, ...values.map(String));

/** A template as plain JSON: references as the texts that they are written as. */
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
