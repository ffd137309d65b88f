import type { Link, SpanContext } from '@opentelemetry/api';
import type { EventOf } from '../../../contracts/events/event.ts';
import { own } from './conventions.ts';
import type { Work, WorkEnd } from '../work/work.ts';

/**
 * Links between spans without a call relation: background work to the call that delegated it, a follow-up to the work
 * it continues, a restarted member to its predecessor.
 */
export class SpanLinks {
  /** Of actors that are not engaged yet, by run and address. */
  readonly #coming = new Map<string, { readonly links: Link[]; readonly delegation: string | undefined }>();
  /** Calls of an actor's step, by id: the ones that may have delegated work. */
  readonly #calls = new Map<Work, Map<string, SpanContext>>();
  /** Last span of each delegated work, and of each address, by run. */
  readonly #delegated = new Map<string, Map<string, SpanContext>>();
  readonly #sat = new Map<string, Map<string, SpanContext>>();

  opened(work: Work, context: SpanContext): void {
    const { kind, parent, by, runId, path } = work;
    if (kind === 'tool' && parent !== undefined && 'callId' in by)
      setIn(this.#calls, parent, by.callId, context);
    if (kind !== 'agent' && kind !== 'team') return;
    setIn(this.#sat, runId, path, context);
    const { delegation } = this.#coming.get(placeOf(runId, path)) ?? {};
    if (delegation !== undefined) setIn(this.#delegated, runId, delegation, context);
    this.#coming.delete(placeOf(runId, path));
  }

  /** Returns the links of an actor's span. */
  to({ runId, path }: Work): Link[] {
    return this.#coming.get(placeOf(runId, path))?.links ?? [];
  }

  noted(
    event: EventOf<'delegation.began' | 'child.restarted'>,
    about: Work | undefined,
    asking: SpanContext | undefined,
  ): void {
    const { runId, child } = event;
    const isRestart = event.type === 'child.restarted';
    const from = isRestart
      ? [link(this.#sat.get(runId)?.get(event.of), 'restart')]
      : [
          link(this.#givenBy(about, child) ?? asking, 'delegation'),
          ...(event.follows === true ? [link(this.#delegated.get(runId)?.get(event.id), 'follow-up')] : []),
        ];
    const links = from.filter((each) => each !== undefined);
    this.#coming.set(placeOf(runId, child), { links, delegation: isRestart ? undefined : event.id });
  }

  stepEnded(actor: Work): void {
    this.#calls.delete(actor);
  }

  closed(work: Work, { by }: WorkEnd): void {
    const { runId, path } = work;
    this.#calls.delete(work);
    if (by !== undefined && by.type !== 'run.ended') return;
    // The run is over, or no longer followed.
    if (by?.path !== undefined && by.path !== path) return;
    this.#delegated.delete(runId);
    this.#sat.delete(runId);
    for (const place of this.#coming.keys()) if (place.startsWith(`${runId}\n`)) this.#coming.delete(place);
  }

  /** Delegated work has an address that ends with the id of its call: `archivist-0_1`, `call_0_1`. */
  #givenBy(about: Work | undefined, child: string): SpanContext | undefined {
    const call = /-(\d+_\d+)$/.exec(child)?.[1];
    return about === undefined || call === undefined
      ? undefined
      : this.#calls.get(about)?.get(`call_${call}`);
  }
}

const placeOf = (runId: string, path: string): string => `${runId}\n${path}`;

const link = (context: SpanContext | undefined, why: string): Link | undefined =>
  context === undefined ? undefined : { context, attributes: { [own.link]: why } };

const setIn = <Outer, Inner, Value>(
  maps: Map<Outer, Map<Inner, Value>>,
  outer: Outer,
  inner: Inner,
  value: Value,
): void => {
  const map = maps.get(outer) ?? new Map<Inner, Value>();
  maps.set(outer, map.set(inner, value));
};
