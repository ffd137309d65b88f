import { TroupeError } from '../../contracts/error.ts';
import { foundText } from '../../contracts/found-text.ts';
import { isRecord } from './is-record.ts';

const RECORDS = ['budget', 'mailbox', 'budgets', 'limits', 'supervision', 'asMember'] as const;

/**
 * Looks at what every team may be given, as far as its kind goes: in JavaScript anything may stand there.
 *
 * @throws {TroupeError} `team.invalid`, with what was found.
 */
export const checkTeam = (setup: object, owner: string): void => {
  const given: Readonly<Record<string, unknown>> = { ...setup };
  const refuse = (why: string, found: unknown): never => {
    throw new TroupeError('team.invalid', `Cannot define ${owner} as its ${why}: found ${foundText(found)}`);
  };
  for (const option of RECORDS)
    if (given[option] !== undefined && !isRecord(given[option]))
      refuse(`${option} is no object`, given[option]);
  const { description, hooks } = given;
  if (description !== undefined && typeof description !== 'string')
    refuse('description is no text', description);
  if (hooks === undefined) return;
  if (!Array.isArray(hooks)) return refuse('hooks are no list', hooks);
  const odd = hooks.findIndex((hook: unknown) => !isRecord(hook) || typeof hook['handle'] !== 'function');
  if (odd >= 0) refuse('hooks have one that handles nothing', hooks[odd]);
};
