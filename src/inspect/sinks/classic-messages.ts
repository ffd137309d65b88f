import type { Json, JsonObject } from '../../base/json/json.ts';
import type { NewEntry, StateShape } from '../recording/entry.ts';
import { machineConfig, stateValue } from './machine-config.ts';

/** A message of the app's side in the protocol of `@xstate/inspect`. */
export type ClassicMessage =
  | {
      readonly type: 'service.register';
      /** The machine's config, as JSON text. */
      readonly machine: string;
      /** The state, as JSON text. */
      readonly state: string;
      readonly id: string;
      readonly sessionId: string;
      readonly parent?: string;
    }
  | { readonly type: 'service.event'; readonly event: string; readonly sessionId: string }
  | { readonly type: 'service.state'; readonly state: string; readonly sessionId: string }
  | { readonly type: 'service.stop'; readonly sessionId: string };

interface Service {
  readonly id: string;
  readonly parent: string | undefined;
  readonly shape: StateShape;
  context: Readonly<Record<string, unknown>>;
  isRegistered: boolean;
}

/**
 * Translates entries of a recording to the protocol of `@xstate/inspect`, for machines of XState 4.
 *
 * A service is registered with its first state, which the protocol requires.
 */
export class ClassicTeller {
  readonly #charts = new Map<string, StateShape>();
  readonly #services = new Map<string, Service>();

  *tell(entry: NewEntry): Generator<ClassicMessage> {
    if (entry.kind === 'chart') this.#charts.set(entry.chart, entry.shape);
    else if (entry.kind === 'actor') this.#comes(entry);
    else {
      const service = this.#services.get(entry.actor);
      if (service !== undefined) yield* this.#of(service, entry);
    }
  }

  #comes({ actor, parent, chart }: Extract<NewEntry, { kind: 'actor' }>): void {
    const shape = (chart === undefined ? undefined : this.#charts.get(chart)) ?? NO_CHART;
    this.#services.set(actor, { id: actor, parent, shape, context: {}, isRegistered: false });
  }

  *#of(service: Service, entry: Exclude<NewEntry, { kind: 'chart' | 'actor' }>): Generator<ClassicMessage> {
    const sessionId = service.id;
    switch (entry.kind) {
      case 'received':
        if (service.isRegistered)
          yield { type: 'service.event', event: JSON.stringify(scxml(entry.event, entry.from)), sessionId };
        return;
      case 'moved': {
        service.context = { ...service.context, ...entry.patch };
        const state = JSON.stringify(stateOf(service, entry.states, entry.on));
        if (service.isRegistered) yield { type: 'service.state', state, sessionId };
        else yield registration(service, state);
        service.isRegistered = true;
        return;
      }
      case 'gone':
        if (service.isRegistered) yield { type: 'service.stop', sessionId };
        this.#services.delete(service.id);
        return;
      default:
    }
  }
}

const registration = ({ id, parent, shape, context }: Service, state: string): ClassicMessage => ({
  type: 'service.register',
  // Without this XState 4 advises to set it, once for each machine.
  machine: JSON.stringify({ ...machineConfig(shape, 'v4'), context, predictableActionArguments: true }),
  state,
  id,
  sessionId: id,
  ...(parent === undefined ? {} : { parent }),
});

/** Placeholder chart of actors without one. */
const NO_CHART: StateShape = {
  id: 'actor',
  key: 'actor',
  type: 'compound',
  initial: ['actor.active'],
  states: [{ id: 'actor.active', key: 'active', type: 'atomic', initial: [], states: [], arrows: [] }],
  arrows: [],
};

/** A state of XState 4. */
const stateOf = ({ shape, context, id }: Service, states: readonly string[], on: string): Json => ({
  value: stateValue(shape, states),
  context: context as JsonObject,
  event: { type: on },
  _event: scxml({ type: on }, undefined),
  _sessionid: id,
  actions: [],
  activities: {},
  meta: {},
  events: [],
  configuration: [],
  transitions: [],
  children: {},
  tags: [],
  changed: true,
});

const scxml = (event: { readonly type: string }, origin: string | undefined): JsonObject => ({
  name: event.type,
  data: { ...event },
  $$type: 'scxml',
  type: 'external',
  ...(origin === undefined ? {} : { origin }),
});
