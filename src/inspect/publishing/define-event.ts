import type { LiveEvent } from '../../contracts/event.ts';
import { EVENT_VERSION } from '../../contracts/event.ts';
import type { InputOf, OutputOf, Schema } from '../../contracts/schema.ts';
import { toJson } from '../../contracts/json.ts';
import type { ToolContext } from '../../contracts/tool.ts';
import { checkSchema } from '../../tools/schemas.ts';
import { isThenable } from '../../contracts/thenable.ts';
import { TroupeError } from '../../contracts/error.ts';
import type { CustomEvent } from './custom-event.ts';

/** A definition of any event, as a registry keeps it. */
export interface AnyEventDefinition {
  readonly name: string;
  readonly schema: Schema;
  /** Hands a fitting event to whoever handles it. */
  handle(event: CustomEvent): void;
}

/** An event of an app's own. */
export interface EventDefinition<S extends Schema> extends AnyEventDefinition {
  /** Tells it from within a tool: observers see it as `custom.emitted`, the run's log keeps it. */
  emit(context: Pick<ToolContext, 'emit'>, data: InputOf<S>): void;
  /** It, as if it had come right after `event`: what a middleware puts into a stream. No log knows of it. */
  after(event: LiveEvent, data: InputOf<S>): CustomEvent;
}

/**
 * Defines an event of an app's own: a name (`noun.verb-ed`), the schema of its data, and what is done about it, if anything.
 *
 * Whoever emits it is not held back: it is checked by the {@link eventRegistry} that reads it.
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
