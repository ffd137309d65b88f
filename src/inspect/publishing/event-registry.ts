import type { Observable } from 'rxjs';
import { filter, Subject } from 'rxjs';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { LiveEvent } from '../../contracts/events/event.ts';
import type { SchemaIssue } from '../../base/schemas/schema.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import type { EventMiddleware } from '../../events/stream/middleware.ts';
import { SafeObservable } from '../../events/stream/safe-observable.ts';
import { checkSchema } from '../../tools/schemas/schemas.ts';
import type { CustomEvent } from './custom-event.ts';
import type { AnyEventDefinition } from './define-event.ts';

/** An event that could not be handled. */
export interface EventDeadLetter {
  readonly event: CustomEvent;
  /** `unknown`: no definition of its name; `unfit`: its data is invalid; `failed`: its handler threw. */
  readonly reason: 'unknown' | 'unfit' | 'failed';
  /** The problems, one each. */
  readonly issues: readonly SchemaIssue[];
}

/** The events of an app's own. */
export interface EventRegistry {
  /**
   * Passes and handles valid events that are defined, and holds back all other custom events; the runtime's events
   * pass.
   */
  readonly middleware: EventMiddleware;
  /** Checks whether an event is to be passed on. */
  admits(event: LiveEvent): boolean;
  /** Events held back: the newest 1,000, then live ones. */
  readonly deadLetters$: Observable<EventDeadLetter>;
}

/** Maximum number of dead letters kept. */
const KEPT = 1_000;

/**
 * Validates and handles an app's custom events: each has a schema, and may have a handler. An undefined or invalid
 * event goes to the dead letters with the reason.
 *
 * An event is validated, and handled, once for each stream in which the registry is used.
 *
 * @example
 * const ordered = defineEvent('shop.ordered', z.object({ id: z.number() }), ({ id }) => stock.reserve(id));
 * const shop = eventRegistry([ordered]);
 * shop.deadLetters$.subscribe(({ event, reason }) => console.warn(event.name, reason));
 * handle.events$.pipe(shop.middleware).subscribe(draw);
 *
 * @throws {TroupeError} `publishing.invalid` for two definitions of one name.
 */
export const eventRegistry = (definitions: readonly AnyEventDefinition[]): EventRegistry => {
  const byName = new Map<string, AnyEventDefinition>();
  for (const definition of definitions) {
    if (byName.has(definition.name))
      throw new TroupeError(
        'publishing.invalid',
        `Cannot define an event twice as its name would be ambiguous: ${definition.name}`,
      );
    byName.set(definition.name, definition);
  }
  const kept: EventDeadLetter[] = [];
  const letters = new Subject<EventDeadLetter>();
  const letGo = (letter: EventDeadLetter): false => {
    kept.push(letter);
    if (kept.length > KEPT) kept.shift();
    letters.next(letter);
    return false;
  };

  const admits = (event: LiveEvent): boolean => {
    if (event.type !== 'custom.emitted') return true;
    const definition = byName.get(event.name);
    if (definition === undefined) return letGo({ event, reason: 'unknown', issues: [] });
    const issues = issuesOf(definition, event);
    if (issues.length > 0) return letGo({ event, reason: 'unfit', issues });
    try {
      definition.handle(event);
      return true;
    } catch (error) {
      return letGo({ event, reason: 'failed', issues: [{ path: '', message: messageOf(error) }] });
    }
  };

  return {
    admits,
    middleware: filter(admits),
    // A subscriber to dead letters that throws has no run to report it.
    deadLetters$: new SafeObservable(ignore, (subscriber) => {
      for (const letter of kept) subscriber.next(letter);
      return letters.subscribe(subscriber);
    }),
  };
};

const ignore = (): void => undefined;

const issuesOf = ({ schema }: AnyEventDefinition, { data }: CustomEvent): readonly SchemaIssue[] => {
  try {
    const checked = checkSchema(schema, data);
    if (isThenable(checked)) {
      checked.then(undefined, () => undefined);
      return [{ path: '', message: 'its schema is asynchronous' }];
    }
    return checked.ok ? [] : checked.issues;
  } catch (error) {
    return [{ path: '', message: messageOf(error) }];
  }
};
