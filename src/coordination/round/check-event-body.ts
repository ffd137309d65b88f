import { TroupeError } from '../../contracts/errors/error.ts';
import type { EventBody } from '../../contracts/events/event.ts';
import { eventTypes } from '../../contracts/events/event.ts';
import { eventShape } from '../../contracts/events/event-shape.ts';
import { onDemand } from '../../base/on-demand.ts';

/** The fields of an event that the runtime fills in. */
const envelope = onDemand((): readonly string[] => Object.keys(eventShape().base));

/**
 * Checks an event that a team publishes: a type that there is, without a field that the runtime fills in. Such a field
 * would stand in place of the truth: a log with two events of one number, or of another run, is not a log.
 *
 * @throws {TroupeError} `machine.invalid` for a field of the envelope, or a type that there is not.
 */
export const checkEventBody = <Body extends EventBody>(body: Body): Body => {
  const { type } = body;
  const refuse = (why: string): TroupeError =>
    new TroupeError('machine.invalid', `Cannot publish '${String(type)}' as ${why}`);
  if (!eventTypes().has(type)) throw refuse('there is no such event');
  const taken = envelope().filter((field) => Object.hasOwn(body, field));
  if (taken.length > 0)
    throw refuse(
      `its body has fields that the runtime fills in: ${taken.join(', ')}; give them other names, such as 'member'`,
    );
  return body;
};
