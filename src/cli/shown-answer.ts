import { Redactor } from '../contracts/secrets/redactor.ts';
import { secretsIn } from '../policy/redaction.ts';
import type { Session } from './session.ts';

/** The answer as the events have it, without the secrets of the environment; as it was given, with `--reveal`. */
export const shownAnswer = (
  published: unknown,
  given: unknown,
  { settings, terminal: { environment } }: Session,
): unknown => (settings.reveal ? given : new Redactor(secretsIn(environment)).value(published));
