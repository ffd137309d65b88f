import type { LiveEvent } from '../../contracts/event.ts';
import { RedactedDeltas } from '../../runtime/redacted-deltas.ts';
import { RunSecrets } from '../../runtime/run-secrets.ts';
import type { Secrets } from '../../policy/redaction.ts';

/**
 * Takes secrets out of events. A delta that ends as a secret begins is kept back until the next shows what it is, so that one that
 * comes in pieces is found, too; hence one event may be none, or two.
 */
export const eventRedactor = (secrets: Secrets | undefined): ((event: LiveEvent) => readonly LiveEvent[]) => {
  const found = new RunSecrets(secrets);
  const deltas = new RedactedDeltas(found);
  return (event) => {
    if (event.type === 'model.delta') {
      const delta = deltas.shown(event.key, event.delta);
      return delta === undefined ? [] : [delta === event.delta ? event : { ...event, delta }];
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
      delta,
    }));
    return [...rest, found.event(event)];
  };
};
