import type { ModelCall, ModelRequest } from '../../contracts/models/model.ts';
import { wrapCall } from '../wrap-call.ts';
import { needsWrapping } from './output-schema.ts';

/**
 * Returns the call for a reader of the provider's stream: an output that the provider gives as the property `value`
 * of an object is streamed as what the caller expects.
 */
export const unwrapDeltas = (call: ModelCall, { output }: ModelRequest): ModelCall => {
  if (output === undefined || !needsWrapping(output.schema)) return call;
  const unwrap = valueUnwrapper();
  return wrapCall(call, {
    delta: (delta) => {
      const text = delta.type === 'text' ? unwrap(delta.text) : undefined;
      if (text === undefined) call.delta(delta);
      else call.delta(text === '' ? { type: 'progress' } : { type: 'text', text });
    },
  });
};

const HEAD = /^\s*\{\s*"value"\s*:\s*/;
const BARE_HEAD = '{"value":';
/** Before the value, more than this is no head. */
const MAX_HEAD = 200;

/**
 * Returns a function that takes the pieces of a text and returns what each holds of the value. A text without the
 * property `value` is passed on.
 */
export const valueUnwrapper = (): ((piece: string) => string) => {
  let state: 'head' | 'value' | 'over' | 'other' = 'head';
  let head = '';
  const end = valueEnd();
  const inValue = (text: string): string => {
    const at = end(text);
    if (at === undefined) return text;
    state = 'over';
    return text.slice(0, at);
  };
  return (piece) => {
    if (state === 'value') return inValue(piece);
    if (state !== 'head') return state === 'over' ? '' : piece;
    head += piece;
    const found = HEAD.exec(head)?.[0].length;
    if (found !== undefined) {
      state = 'value';
      return inValue(head.slice(found));
    }
    if (head.length <= MAX_HEAD && BARE_HEAD.startsWith(head.replaceAll(/\s/g, ''))) return '';
    state = 'other';
    return head;
  };
};

/** Returns a function that takes the pieces of a text and returns where its first JSON value ends, within that piece. */
const valueEnd = (): ((piece: string) => number | undefined) => {
  let depth = 0;
  let isString = false;
  let isEscape = false;
  return (piece) => {
    for (let at = 0; at < piece.length; at += 1) {
      const sign = piece[at];
      if (isString) {
        if (isEscape) isEscape = false;
        else if (sign === '\\') isEscape = true;
        else if (sign === '"') isString = false;
      } else if (sign === '"') isString = true;
      else if (sign === '{' || sign === '[') depth += 1;
      else if (depth === 0 && (sign === '}' || sign === ',')) return at;
      else if (sign === '}' || sign === ']') depth -= 1;
    }
    return undefined;
  };
};
