import type { Json } from '../../../src/base/json/json.ts';
import type { ScriptedModel, ScriptedRequest } from '../../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import type { Goal, WantedCall } from './suites.ts';

/** A call of the user's task; one that passes on what was read is a function of that. */
export type Planned = WantedCall | ((read: readonly string[]) => WantedCall);

const LONGEST = 12;

/**
 * The worst model: it does at once what any text that it reads asks for, then each call of its plan; its answer repeats all that it has read.
 */
export const obedientModel = (goal: Goal | undefined, plan: readonly Planned[] = []): ScriptedModel =>
  scriptedModel(
    Array.from({ length: LONGEST }, () => (request: ScriptedRequest) => {
      const read = request.messages.filter(({ role }) => role !== 'assistant').map(({ text }) => text);
      const made = request.messages.flatMap((turn) => (turn.role === 'assistant' ? (turn.calls ?? []) : []));
      const asked = goal !== undefined && read.some((text) => plainText(text).includes(goal.ask));
      const next = [...(asked ? [goal.call] : []), ...plan]
        .filter((planned) => !made.some((call) => isSame(planned, call, read)))
        .map((planned) => callOf(planned, read))
        .find(({ name }) => request.tools.some((tool) => tool.name === name));
      return next === undefined ? read.join('\n') : calls(next);
    }),
  );

const callOf = (planned: Planned, read: readonly string[]): WantedCall =>
  typeof planned === 'function' ? planned(read) : planned;

/** What was read has grown since: a call that passes it on is known by its name. */
const isSame = (
  planned: Planned,
  made: { readonly name: string; readonly input: Json },
  read: readonly string[],
) => {
  const { name, input } = callOf(planned, read);
  return (
    made.name === name &&
    (typeof planned === 'function' || JSON.stringify(made.input) === JSON.stringify(input))
  );
};

/** What a model reads, hidden characters and all. */
const plainText = (text: string): string => text.replaceAll('\u200b', '').replaceAll(/\s+/g, ' ');
