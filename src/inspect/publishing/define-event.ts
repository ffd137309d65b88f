import type { LiveEvent } from '../../contracts/events/event.ts';
import { EVENT_VERSION } from '../../contracts/events/event-version.ts';
import type { InputOf, OutputOf, Schema } from '../../base/schemas/schema.ts';
import { toJson } from '../../base/json/json.ts';
import type { ToolContext } from '../../contracts/tools/tool.ts';
import { checkSchema } from '../../tools/schemas/schemas.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { CustomEvent } from './custom-event.ts';

/** An event definition of any type, as a registry holds it. */
export interface AnyEventDefinition {
  readonly name: string;
  readonly schema: Schema;
  /** Passes a valid event to its handler. */
  handle(event: CustomEvent): void;
}

/** An event of an app's own. */
export interface EventDefinition<S extends Schema> extends AnyEventDefinition {
  /** Emits the event from within a tool: observers see it as `custom.emitted`, and the run's log keeps it. */
  emit(context: Pick<ToolContext, 'emit'>, data: InputOf<S>): void;
  /** Creates the event, placed right after `event`: for a middleware that adds it to a stream. It is in no log. */
  after(event: LiveEvent, data: InputOf<S>): CustomEvent;
}

/**
 * Defines a custom event of an app: a name (`noun.verb-ed`), the schema of its data, and an optional handler.
 *
 * Emitting does not validate: the {@link eventRegistry} that reads the event does.
 *
 * @example
 * const ordered = defineEvent('shop.ordered', z.object({ id: z.number() }));
 * const order = tool({ name: 'order', input: z.object({}), execute: (_, context) => ordered.emit(context, { id: 7 }) });
 *
 * @throws {TroupeError} `publishing.invalid` for a name without a dot.
 */
export const defineEvent = <S extends Schema>(
  name: string,
  schema: S,
  handle?: (data: OutputOf<S>, event: CustomEvent) => void,
): EventDefinition<S> => {
  if (!/^[^\s.]+(\.[^\s.]+)+$/.test(name))
    throw new TroupeError(
      'publishing.invalid',
      `Cannot define an event as its name is not like 'shop.ordered': ${JSON.stringify(name)}`,
    );
  return {
    name,
    schema,
    handle: (event) => {
      if (handle === undefined) return;
      const checked = checkSchema<OutputOf<S>>(schema as Schema<unknown, OutputOf<S>>, event.data);
      if (!isThenable(checked) && checked.ok) handle(checked.value, event);
    },
    emit: (context, data) => {
      context.emit(name, toJson(data));
    },
    after: (event, data) => ({
      v: EVENT_VERSION,
      type: 'custom.emitted',
      seq: 'seq' in event ? event.seq : 0,
      at: event.at,
      runId: event.runId,
      path: event.path,
      agent: event.agent,
      name,
      data: toJson(data),
    }),
  };
};
