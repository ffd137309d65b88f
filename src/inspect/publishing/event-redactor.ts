import type { DeltaEvent, LiveEvent, RuntimeEvent } from '../../contracts/event.ts';
import { parseEvent } from '../../events/parse-event.ts';
import type { Secrets } from '../../policy/redaction.ts';
import { redactor } from '../../policy/redaction.ts';
import { heldBack } from './held-back.ts';

/**
 * Takes secrets out of events. A delta that ends as a secret begins is kept back until the next shows what it is, so that one that
 * comes in pieces is found, too; hence one event may be none, or two.
 */
export const eventRedactor = (secrets: Secrets): ((event: LiveEvent) => readonly LiveEvent[]) => {
  if (Object.keys(secrets).length === 0) return (event) => [event];
  const redact = redactor(secrets);
  const hold = heldBack(secrets);
  /** By call and kind, the delta whose text is kept back. */
  const held = new Map<string, DeltaEvent>();

  const pieces = (event: DeltaEvent): readonly LiveEvent[] => {
    const { delta } = event;
    if (delta.type === 'progress') return [event];
    const place = `${event.key} ${delta.type} ${delta.type === 'tool-call' ? delta.index : ''}`;
    const text = textOf(held.get(place)) + delta.text;
    const kept = hold(text);
    const shown = redact(text.slice(0, text.length - kept));
    if (kept === 0) held.delete(place);
    else held.set(place, { ...event, delta: { ...delta, text: text.slice(-kept) } });
    return shown === '' && text !== '' ? [] : [{ ...event, delta: { ...delta, text: shown } }];
  };
  /** The call is over: what is kept back is no secret. */
  const rest = (event: RuntimeEvent): readonly LiveEvent[] => {
    if (!('key' in event) || event.type === 'model.asked') return [];
    const over = [...held].filter(([place]) => place.startsWith(`${event.key} `));
    for (const [place] of over) held.delete(place);
    return event.type === 'model.answered' ? over.map(([, delta]) => delta) : [];
  };

  return (event) => {
    if (event.type === 'model.delta') return pieces(event);
    const before = JSON.stringify(event);
    const after = redact(before);
    return [...rest(event), after === before ? event : parseEvent(JSON.parse(after))];
  };
};

const textOf = (event: DeltaEvent | undefined): string =>
  event === undefined || event.delta.type === 'progress' ? '' : event.delta.text;
