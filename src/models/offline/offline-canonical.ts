import { canonical } from '../../contracts/canonical.ts';
import type { Json } from '../../contracts/json.ts';

/** A value in a sentence: a text as it is, anything else as JSON. */
export const plainText = (value: Json): string => (typeof value === 'string' ? value : canonical(value));
