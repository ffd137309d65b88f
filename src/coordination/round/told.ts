import { TroupeError } from '../../contracts/errors/error.ts';
import type { EventBody } from '../../contracts/events/event.ts';
import { eventTypes } from '../../contracts/events/event.ts';
import { eventShape } from '../../contracts/events/event-shape.ts';
import { onDemand } from '../../base/on-demand.ts';

/** What the runtime says of every event itself. */
const envelope = onDemand((): readonly string[] => Object.keys(eventShape().base));

/**
 * What a team tells observers, as it may be told: an event that there is, without a field that the runtime fills in. Such a field
 * would stand in the place of the truth, and a log with two events of one number, or of somebody else's run, is none.
 *
 * @throws {TroupeError} `machine.invalid` for a field of the envelope, or a type that there is not.
 */
export const told = <Body extends EventBody>(body: Body): Body => {
  const { type } = body;
  const refuse = (why: string): TroupeError =>
    new TroupeError('machine.invalid', `Cannot tell of '${String(type)}' as ${why}`);
  if (!eventTypes().has(type)) throw refuse('there is no such event');
  const taken = envelope().filter((field) => Object.hasOwn(body, field));
  if (taken.length > 0)
    throw refuse(
      `its body has fields that the runtime fills in: ${taken.join(', ')}; give them other names, such as 'member'`,
    );
  return body;
};
