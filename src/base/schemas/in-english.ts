import { en } from 'zod/v4/locales';
import * as z from 'zod/mini';

/**
 * Has zod's messages in English unless an app chose a language, and returns the schema: schemas of `zod/mini`, unlike those of `zod`,
 * bring no language.
 *
 * @example
 * const schema = onDemand(() => inEnglish(z.object({ name: z.string() })));
 */
export const inEnglish = <Made>(made: Made): Made => {
  if (z.config().localeError === undefined) z.config(en());
  return made;
};
