import { canonical } from '../../base/json/canonical.ts';
import type { Json } from '../../base/json/json.ts';

/** Renders a value within a sentence: a text verbatim, anything else as JSON. */
export const plainText = (value: Json): string => (typeof value === 'string' ? value : canonical(value));
