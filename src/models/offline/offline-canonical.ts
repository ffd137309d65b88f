import { canonical } from '../../contracts/canonical.ts';
import type { Json } from '../../contracts/json.ts';

/** Renders a value within a sentence: a text verbatim, anything else as JSON. */
export const plainText = (value: Json): string => (typeof value === 'string' ? value : canonical(value));
