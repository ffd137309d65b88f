import type { DeltaEvent, LiveEvent } from '../../../contracts/events/event.ts';
import { SmallMap } from '../../../base/collections/small-map.ts';
import { DeltaOffsets } from '../../log/delta-offsets.ts';
import { RedactedDeltas } from '../../log/redacted-deltas.ts';
import { RunSecrets } from '../../secrets/run-secrets.ts';
import type { Secrets } from '../../../policy/redaction.ts';

/**
 * Redacts secrets in events. A delta that ends like the start of a secret is held back until the next one decides, so
 * that a secret split across deltas is found; hence one event may become none, or several.
 */
export const eventRedactor = (secrets: Secrets | undefined): ((event: LiveEvent) => readonly LiveEvent[]) => {
  const found = new RunSecrets(secrets);
  const deltas = new RedactedDeltas(found);
  const heard = new DeltaOffsets();
  const offsets = new DeltaOffsets();
  /** The last delta of each call that no event has ended yet. */
  const open = new SmallMap<string, DeltaEvent>();
  const ended = (key: string): void => {
    open.delete(key);
    heard.end(key);
    offsets.end(key);
  };
  return (event) => {
    if (event.type === 'model.delta') {
      const { key, delta, offset } = event;
      // Another process makes the call again: its answer comes from its beginning.
      if (delta.type !== 'progress' && offset !== undefined && offset < heard.skip(key, delta, 0)) {
        deltas.withdrawn(key);
        ended(key);
      }
      open.set(key, event);
      const place = heard.take(key, delta);
      if (offset !== undefined && offset > place) {
        heard.skip(key, delta, offset - place);
        offsets.skip(key, delta, offset - place);
      }
      const before = deltas
        .before(key, delta)
        .map((held) => ({ ...event, offset: offsets.take(key, held.delta), delta: held.delta }));
      const shown = deltas.shown(key, delta);
      if (shown === undefined) return before;
      const at = offsets.take(key, shown);
      return [...before, shown === delta && at === offset ? event : { ...event, offset: at, delta: shown }];
    }
    const { v, at, runId, path, agent, step = 0 } = event;
    const rest = deltas.ended(event).map(({ key, delta }) => ({
      v,
      type: 'model.delta' as const,
      at,
      runId,
      path,
      agent,
      step,
      key,
      offset: offsets.take(key, delta),
      delta,
    }));
    if ('key' in event && event.type !== 'model.asked') ended(event.key);
    if (event.type !== 'member.ended' && event.type !== 'run.ended') return [...rest, found.event(event)];
    // The held text of a call that was withdrawn: no event reports its end.
    const withdrawn = [...open].filter(([, last]) => event.type === 'run.ended' || last.path === path);
    const left = withdrawn.flatMap(([key, last]) => {
      const pieces = deltas
        .withdrawn(key)
        .map(({ delta }) => ({ ...last, at, offset: offsets.take(key, delta), delta }));
      ended(key);
      return pieces;
    });
    return [...rest, ...left, found.event(event)];
  };
};
