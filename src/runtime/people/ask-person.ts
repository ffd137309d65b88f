import { keyInRun } from '../../contracts/runs/effect.ts';
import { canonical } from '../../base/json/canonical.ts';
import { toJson } from '../../base/json/json.ts';
import { checkRequest } from '../run/run-schema.ts';
import { sha256 } from '../../base/sha256.ts';
import type { PersonTime } from './person-time.ts';
import type { LazyAbort } from '../../base/promises/lazy-abort.ts';
import type { RequestOptions } from '../../contracts/people/request.ts';
import type { CallChange, CallWish } from '../../actors/desk.ts';
import type { Ask } from '../../machines/asks.ts';
import { callIn } from '../../machines/asks.ts';
import type { Approval } from '../../machines/tool-call/tool-call-context.ts';
import type { Actor } from '../actors/actor.ts';
import { hideCalls, hideTyped } from '../secrets/hide-fields.ts';
import type { ArrivalRecorder } from '../journal/write/journal-port.ts';
import type { PersonAnswer } from './request-book.ts';
import type { Requester, PersonRequest } from './person-request.ts';

/** An effect with a request for a person. */
export interface RequestingEffect {
  readonly actor: Actor;
  readonly ask: Ask;
  readonly abort: LazyAbort;
}

/** The calls that asking a person needs of the run. */
export interface AskingRun {
  readonly person: {
    want(wish: PersonRequest, wanting: Requester): Promise<PersonAnswer>;
    saidTo(id: string): PersonAnswer | undefined;
    readonly time: PersonTime;
  };
  readonly journal: Pick<ArrivalRecorder, 'arrive'>;
}

/** The `index`-th question of an effect. */
interface Question extends RequestOptions {
  readonly question: string;
  readonly index: number;
}

/**
 * Asks a person a question of an effect.
 *
 * @throws {TroupeError} `input.invalid` for a time that is none.
 */
export const askPerson = async (
  { person, journal }: AskingRun,
  effect: RequestingEffect,
  { question, index, expireAfterMs }: Question,
): Promise<string> => {
  checkRequest({ expireAfterMs });
  const { actor, ask } = effect;
  const { path, agent } = actor;
  const wanting = requesterOf(effect);
  const call = callIn(ask);
  const id = idFor({ kind: 'question', key: ask.key, index, question });
  const wish = { id, kind: 'question', path, agent, step: ask.step, question } as const;
  const said = await person.want(call === undefined ? wish : { ...wish, callId: call.id }, {
    ...wanting,
    expireAfterMs,
    onSaid: (reply) => {
      if (!('text' in reply)) return;
      if (call !== undefined) hideTyped(actor, call.name, reply.text);
      journal.arrive(actor.scope, { type: 'told', key: keyInRun(ask), index, text: reply.text });
    },
  });
  return 'text' in said ? said.text : '';
};

/** Asks a person whether a call may be made. */
export const approveCall = async (
  { person }: AskingRun,
  effect: RequestingEffect,
  call: CallWish,
  check: CallChange,
): Promise<Approval> => {
  const { actor, ask } = effect;
  const { path, agent } = actor;
  const { kind, callId, tool, input } = call;
  const onSaid = (said: PersonAnswer): void => {
    if ('input' in said && said.input !== undefined) hideCalls(actor, [{ name: tool, input: said.input }]);
  };
  const wanting = { ...requesterOf(effect), check, onSaid };
  const bound = { kind, runId: ask.runId, path, callId, tool, input };
  for (let times = 0; ; times += 1) {
    const id = idFor(times === 0 ? bound : { ...bound, times });
    // An earlier answer was to repeat the call: whether that was done is as unknown as before.
    if (kind === 'ambiguous' && isYes(person.saidTo(id))) continue;
    const said = await person.want({ id, path, agent, step: ask.step, ...call }, wanting);
    return 'isApproved' in said ? said : { isApproved: false };
  }
};

const isYes = (said: object | undefined): boolean =>
  said !== undefined && 'isApproved' in said && said.isApproved === true;

const requesterOf = ({ actor: speaker, ask, abort }: RequestingEffect): Requester => {
  const { step, phase, key } = ask;
  return { speaker, step, phase, key, abort };
};

/** Equal facts give equal ids, in any process. */
const idFor = (facts: object): string => sha256(canonical(toJson(facts)));
