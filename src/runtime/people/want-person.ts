import { keyInRun } from '../../contracts/effect.ts';
import { canonical } from '../../contracts/canonical.ts';
import { toJson } from '../../contracts/json.ts';
import { sha256 } from '../../contracts/sha256.ts';
import type { LazyAbort } from '../../contracts/lazy-abort.ts';
import type { CallChange, CallWish } from '../../actors/desk.ts';
import type { Ask } from '../../machines/asks.ts';
import { callIn } from '../../machines/asks.ts';
import type { Approval } from '../../machines/tool-call-context.ts';
import type { Actor } from '../actors/actor.ts';
import { hideCalls, hideTyped } from '../secrets/hide-fields.ts';
import type { ArrivalRecorder } from '../journal/write/recorder.ts';
import type { Said } from './request-book.ts';
import type { Wanting, Wish } from './wanting.ts';

/** An effect that wants something of a person. */
export interface WantingEffect {
  readonly actor: Actor;
  readonly ask: Ask;
  readonly abort: LazyAbort;
}

/** Where requests to people wait, and where answers are recorded. */
export interface AskingRun {
  readonly person: {
    want(wish: Wish, wanting: Wanting): Promise<Said>;
    saidTo(id: string): Said | undefined;
  };
  readonly journal: Pick<ArrivalRecorder, 'arrive'>;
}

/** Asks a person the `index`-th question of an effect. */
export const askPerson = async (
  { person, journal }: AskingRun,
  effect: WantingEffect,
  question: string,
  index: number,
): Promise<string> => {
  const { actor, ask } = effect;
  const { path, agent } = actor;
  const wanting = wantingOf(effect);
  const call = callIn(ask);
  const id = idFor({ kind: 'question', key: ask.key, index, question });
  const wish = { id, kind: 'question', path, agent, step: ask.step, question } as const;
  const said = await person.want(call === undefined ? wish : { ...wish, callId: call.id }, {
    ...wanting,
    onSaid: (told) => {
      if (!('text' in told)) return;
      if (call !== undefined) hideTyped(actor, call.name, told.text);
      journal.arrive(actor.scope, { type: 'told', key: keyInRun(ask), index, text: told.text });
    },
  });
  return 'text' in said ? said.text : '';
};

/** Asks a person whether a call may be made. */
export const approveCall = async (
  { person }: AskingRun,
  effect: WantingEffect,
  call: CallWish,
  check: CallChange,
): Promise<Approval> => {
  const { actor, ask } = effect;
  const { path, agent } = actor;
  const { kind, callId, tool, input } = call;
  const onSaid = (said: Said): void => {
    if ('input' in said && said.input !== undefined) hideCalls(actor, [{ name: tool, input: said.input }]);
  };
  const wanting = { ...wantingOf(effect), check, onSaid };
  const bound = { kind, runId: ask.runId, path, callId, tool, input };
  for (let times = 0; ; times += 1) {
    const id = idFor(times === 0 ? bound : { ...bound, times });
    // Somebody said before that it is to be done once more: whether that was done is as unknown as it was of the time before.
    if (kind === 'ambiguous' && isYes(person.saidTo(id))) continue;
    const said = await person.want({ id, path, agent, step: ask.step, ...call }, wanting);
    return 'isApproved' in said ? said : { isApproved: false };
  }
};

const isYes = (said: object | undefined): boolean =>
  said !== undefined && 'isApproved' in said && said.isApproved === true;

const wantingOf = ({ actor: speaker, ask, abort }: WantingEffect): Wanting => {
  const { step, phase, key } = ask;
  return { speaker, step, phase, key, abort };
};

/** Equal facts, equal ids: also in another process. */
const idFor = (facts: object): string => sha256(canonical(toJson(facts)));
