import type { Observable } from 'rxjs';
import { filter, Subject } from 'rxjs';
import { messageOf, TroupeError } from '../../contracts/error.ts';
import type { LiveEvent } from '../../contracts/event.ts';
import type { SchemaIssue } from '../../contracts/schema.ts';
import { isThenable } from '../../contracts/thenable.ts';
import type { EventMiddleware } from '../../events/middleware.ts';
import { SafeObservable } from '../../events/safe-observable.ts';
import { checkSchema } from '../../tools/schemas.ts';
import type { CustomEvent } from './custom-event.ts';
import type { AnyEventDefinition } from './define-event.ts';

/** An event that nobody could do anything with. */
export interface EventDeadLetter {
  readonly event: CustomEvent;
  /** `unknown`: nobody defined its name; `unfit`: its data is not what its schema says; `failed`: its handler threw. */
  readonly reason: 'unknown' | 'unfit' | 'failed';
  /** What is wrong with it, one thing each. */
  readonly issues: readonly SchemaIssue[];
}

/** The events of an app's own. */
export interface EventRegistry {
  /** Lets through what is defined and fits, has it handled, and keeps all else back; events of the runtime pass. */
  readonly middleware: EventMiddleware;
  /** Checks whether an event is to be passed on. */
  admits(event: LiveEvent): boolean;
  /** What was kept back: the newest 1,000, then each as it happens. */
  readonly deadLetters$: Observable<EventDeadLetter>;
}

/** Dead letters that are kept. */
const KEPT = 1_000;

/**
 * Knows the events of an app's own: each has a schema, and may have a handler. What nobody defined, or does not fit, goes to
 * the dead letters with the reason.
 *
 * An event is checked, and handled, wherever the registry stands: where it stands in two streams of a run, twice.
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
        `Cannot define an event twice, as nobody could tell which is meant: ${definition.name}`,
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
    // Whoever looks at dead letters and throws has no run to be reported in.
    deadLetters$: new SafeObservable(ignored, (subscriber) => {
      for (const letter of kept) subscriber.next(letter);
      return letters.subscribe(subscriber);
    }),
  };
};

const ignored = (): void => undefined;

const issuesOf = ({ schema }: AnyEventDefinition, { data }: CustomEvent): readonly SchemaIssue[] => {
  try {
    const checked = checkSchema(schema, data);
    if (isThenable(checked)) {
      checked.then(undefined, () => undefined);
      return [{ path: '', message: 'its schema does not answer at once' }];
    }
    return checked.ok ? [] : checked.issues;
  } catch (error) {
    return [{ path: '', message: messageOf(error) }];
  }
};
