import type { LiveEvent } from '../../contracts/event.ts';
import { DeltaOffsets } from '../../runtime/log/delta-offsets.ts';
import { RedactedDeltas } from '../../runtime/log/redacted-deltas.ts';
import { RunSecrets } from '../../runtime/secrets/run-secrets.ts';
import type { Secrets } from '../../policy/redaction.ts';

/**
 * Takes secrets out of events. A delta that ends as a secret begins is kept back until the next shows what it is, so that one that
 * comes in pieces is found, too; hence one event may be none, or several.
 */
export const eventRedactor = (secrets: Secrets | undefined): ((event: LiveEvent) => readonly LiveEvent[]) => {
  const found = new RunSecrets(secrets);
  const deltas = new RedactedDeltas(found);
  const heard = new DeltaOffsets();
  const told = new DeltaOffsets();
  return (event) => {
    if (event.type === 'model.delta') {
      const { key, delta, offset } = event;
      const place = heard.take(key, delta);
      if (offset !== undefined && offset > place) {
        heard.skip(key, delta, offset - place);
        told.skip(key, delta, offset - place);
      }
      const before = deltas
        .before(key, delta)
        .map((held) => ({ ...event, offset: told.take(key, held.delta), delta: held.delta }));
      const shown = deltas.shown(key, delta);
      if (shown === undefined) return before;
      const at = told.take(key, shown);
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
      offset: told.take(key, delta),
      delta,
    }));
    if ('key' in event && event.type !== 'model.asked') {
      heard.end(event.key);
      told.end(event.key);
    }
    return [...rest, found.event(event)];
  };
};
