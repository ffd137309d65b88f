import type { Desk } from '../../../actors/desk.ts';
import { issueProblem } from '../../../actors/preparing/issue-problem.ts';
import type { Ask } from '../../../machines/asks.ts';
import type { Actor } from '../../actors/actor.ts';
import type { EventLog } from '../../log/event-log.ts';

/**
 * Sets up toolsets, environment and prices of a resumed agent again; undefined if there is nothing to set up. Tools of a set that fails to
 * start are missing, and an event says so.
 */
export const reopen = (
  { principal }: Actor,
  ask: Ask,
  desk: Desk,
  log: Pick<EventLog, 'write'>,
): Promise<void> | undefined => {
  if (ask.port === 'prepare' || principal.definition.agent === undefined) return undefined;
  const { environment, tools } = desk;
  const isUnopened = environment !== undefined && !environment.isOpened;
  const prices = pricesOf(desk);
  if (!tools.needsSetup && !isUnopened && prices === undefined) return undefined;
  return Promise.all([
    isUnopened ? environment.reopen() : [],
    tools.needsSetup ? tools.setup() : [],
    prices,
  ]).then(([issues, problems]) => {
    for (const error of [...issues.map(issueProblem), ...problems])
      log.write({ type: 'toolset.failed', toolset: 'environment', error }, principal);
  });
};

/** A model that cannot be created fails when it is called. */
const pricesOf = (desk: Desk): Promise<void> | undefined => {
  try {
    return desk.openPrices();
  } catch {
    return undefined;
  }
};
