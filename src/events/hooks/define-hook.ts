import {
  aBoolean,
  aFunction,
  aText,
  aTime,
  fulfilling,
  oneForm,
  oneOrMore,
  optional,
} from '../../base/schemas/option-schemas.ts';
import { nearestName } from '../../base/text/nearest-name.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { liveEventTypes } from '../../contracts/events/event.ts';
import type { EventOf, EventType, Hook, LiveEvent } from '../../contracts/events/event.ts';
import { typesOf } from './hook-lane.ts';

/**
 * Creates a hook for the event types in `on`, with `handle` typed accordingly.
 *
 * @example
 * const audit = hook({ name: 'audit', on: 'tool.finished', handle: (event) => console.log(event.tool, event.ok) });
 * await desk.run('…', { hooks: [audit] });
 *
 * @throws {TroupeError} `input.invalid` for what does not fit, such as an unknown type of event.
 */
export const hook = <const Type extends EventType = EventType>(observer: Hook<Type>): Hook => {
  const { name, on, priority, timeoutMs, wantsRequests } = check(observer);
  const types = typesOf(on);
  const isWanted = (event: LiveEvent): event is EventOf<Type> => types?.has(event.type) ?? true;
  return {
    name,
    on,
    priority,
    timeoutMs,
    ...(wantsRequests === undefined ? {} : { wantsRequests }),
    handle: (event, scope) => (isWanted(event) ? observer.handle(event, scope) : undefined),
    ...(observer.flush === undefined ? {} : { flush: (runId: string) => observer.flush?.(runId) }),
  };
};

type HookOptions = Omit<Hook, 'handle'> & { readonly handle: unknown };

const check = optionsCheck<HookOptions>({ code: 'input.invalid', owner: 'a hook' }, () => ({
  name: aText(1),
  on: optional(oneOrMore(oneForm(eventTypeSchema))),
  priority: optional(
    fulfilling((given) => typeof given === 'number' && !Number.isNaN(given), 'not a number'),
  ),
  wantsRequests: optional(aBoolean()),
  timeoutMs: optional(aTime()),
  handle: aFunction(),
  flush: optional(aFunction()),
}));

/** Builds the schema of a type of event: the nearest one is of the same kind, if any is. */
const eventTypeSchema = (given: unknown) => {
  const types = liveEventTypes();
  const named = typeof given === 'string' ? given : '';
  const sameKind = types.filter((type) => type.startsWith(named.replace(/\..*/, '.')));
  const near = nearestName(named, sameKind) ?? nearestName(named, types);
  return fulfilling(
    (type) => types.some((each) => each === type),
    `not a type of event${near === undefined ? '' : `: write '${near}'`}`,
  );
};
