import type { RuntimeEvent } from '../../contracts/events/event.ts';
import { eventTypes } from '../../contracts/events/event.ts';
import type { OneOrMore } from '../permissions/glob.ts';
import { anyGlob, anyPathGlob, itemsOf } from '../permissions/glob.ts';
import { inputTest } from '../permissions/argument-test.ts';
import type { PolicyRule } from '../permissions/rule.ts';

/**
 * A description of events: each part that is given must fit. Texts are globs, as in the rules of a policy.
 *
 * @example
 * const pattern: EventPattern = { event: 'tool.approved', tool: 'pay' };
 */
export interface EventPattern extends Pick<PolicyRule, 'agent' | 'path' | 'input'> {
  /** Types of events. Default: with `tool` the start of a call, with `ok` its end, with `state` the entry into it. */
  readonly event?: OneOrMore<RuntimeEvent['type']> | undefined;
  /** Names of tools, with that of their toolset: `files.*`. */
  readonly tool?: OneOrMore<string> | undefined;
  /** States that the chart of an agent or a team enters: `ACT`, `completed`. */
  readonly state?: OneOrMore<string> | undefined;
  /** A call that ended: true if it succeeded. */
  readonly ok?: boolean | undefined;
}

/** The events that a property speaks of: the type of an event, else the name of a tool whose call starts; a pattern; or a function of an event. */
export type EventChoice = string | EventPattern | EventTest;

/** True for the events that a property speaks of. */
export type EventTest = (event: RuntimeEvent) => boolean;

/** The test of a choice. What a property forbids is tested so that no other spelling of an argument leads round it; what it requires, exactly. */
export const eventTest = (choice: EventChoice, role: 'forbidden' | 'required'): EventTest => {
  if (typeof choice === 'function') return choice;
  if (typeof choice === 'string') return eventTest(patternOf(choice), role);
  const { event, tool, agent, path, state, input, ok } = choice;
  const tests: EventTest[] = [typeTest(choice)];
  const add = <Given>(given: Given | undefined, testOf: (given: Given) => EventTest): void => {
    if (given !== undefined) tests.push(testOf(given));
  };
  add(tool, (globs) => {
    const fits = anyGlob(globs);
    return (each) => 'tool' in each && typeof each.tool === 'string' && fits(each.tool);
  });
  add(agent, (globs) => {
    const fits = anyGlob(globs);
    return (each) => fits(each.agent);
  });
  add(path, (globs) => {
    const fits = anyPathGlob(globs);
    return (each) => fits(each.path);
  });
  add(state, (globs) => {
    const fits = anyGlob(globs);
    return (each) => each.type === 'phase.entered' && fits(each.phase);
  });
  add(ok, (wanted) => (each) => 'ok' in each && each.ok === wanted);
  add(input, (fields) => {
    const passes = inputTest(fields, role === 'forbidden' ? 'deny' : 'allow');
    return (each) => 'input' in each && each.input !== undefined && passes(each.input);
  });
  return event === undefined && tests.length === 1 ? () => true : (each) => tests.every((test) => test(each));
};

/** The pattern that a text is short for. */
export const patternOf = (text: string): EventPattern =>
  isEventType(text) ? { event: text } : { tool: text };

/** Checks whether a text names a type of event. */
export const isEventType = (text: string): text is RuntimeEvent['type'] => eventTypes().has(text);

const typeTest = ({ event, tool, ok, state }: EventPattern): EventTest => {
  if (event !== undefined) {
    const types = new Set<string>(itemsOf(event));
    return ({ type }) => types.has(type);
  }
  if (state !== undefined) return ({ type }) => type === 'phase.entered';
  if (ok !== undefined) return ({ type }) => type === 'tool.finished';
  return tool === undefined ? () => true : startsCall;
};

/** A call starts once, whatever the number of its attempts; a start that the runtime made up is none. */
export const startsCall: EventTest = (event) =>
  event.type === 'tool.started' && event.attempt === 1 && event.synthesised !== true;

/** A choice in words, for the name of a property. */
export const wordsOf = (choice: EventChoice): string => {
  if (typeof choice === 'string') return choice;
  if (typeof choice === 'function') return choice.name === '' ? 'what a function says' : choice.name;
  const { event, tool, agent, path, state, ok, input } = choice;
  const list = (given: OneOrMore<string> | undefined, before = ''): readonly string[] =>
    given === undefined ? [] : [`${before}${itemsOf(given).join(' or ')}`];
  return [
    ...list(agent),
    ...list(path, 'at '),
    ...list(event),
    ...list(tool),
    ...list(state, 'in '),
    ...(input === undefined ? [] : [`with ${Object.keys(input).join(' and ')}`]),
    ...(ok === undefined ? [] : [ok ? 'succeeded' : 'failed']),
  ].join(' ');
};
