import { isJsonObject } from '../../../base/json/json.ts';
import type { Json } from '../../../base/json/json.ts';

/** Takes secrets out of texts, and out of all texts of a value. */
export interface SpanRedaction {
  text(text: string): string;
  value(value: Json): Json;
}

/**
 * Makes a redaction of a function for texts. It is given each text, number and name of a value, then all of the value as JSON, as a
 * pattern may need a field's name and its text. Where it leaves no JSON then, what it left counts as a text.
 */
export const redactionBy = (redact: (text: string) => string): SpanRedaction => ({
  text: redact,
  value: (value) => {
    const json = JSON.stringify(withinJson(value, redact));
    return valueOf(redact(json));
  },
});

const valueOf = (json: string): Json => {
  try {
    const value: Json = JSON.parse(json);
    return value;
  } catch {
    return json;
  }
};

const withinJson = (value: Json, redact: (text: string) => string): Json => {
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'number') {
    const shown = redact(String(value));
    return shown === String(value) ? value : shown;
  }
  if (Array.isArray(value)) return value.map((item: Json) => withinJson(item, redact));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      redact(name),
      item === undefined ? item : withinJson(item, redact),
    ]),
  );
};
