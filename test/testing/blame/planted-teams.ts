import { z } from 'zod';
import { isObject } from '../../../src/base/schemas/option-schemas.ts';
import { delegate } from '../../../src/index.ts';
import type { Agent } from '../../../src/index.ts';
import type { Model, ModelAnswer, ModelRequest } from '../../../src/contracts/models/model.ts';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import { debate } from '../../../src/patterns/debate.ts';
import { groupChat } from '../../../src/patterns/group-chat.ts';
import { parallel } from '../../../src/patterns/parallel.ts';
import { pipeline } from '../../../src/patterns/pipeline.ts';
import { supervisorWorker } from '../../../src/patterns/supervisor-worker.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';

/** A source of numbers from 0 to 1, the same for the same seed (mulberry32). */
export const randomFrom = (seed: number): (() => number) => {
  let state = seed * 2_654_435_761;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

/** Facts by name, as members tell them to each other: `a=12`. */
export type Facts = Readonly<Record<string, number>>;

export const factsIn = (text: string): Facts =>
  Object.fromEntries(
    [...text.matchAll(/\b([a-h])=(\d+)/g)].map(([, name = '', value = '']) => [name, Number(value)]),
  );

const textOf = (facts: Facts): string =>
  Object.entries(facts)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

/** A fault: one's own fact is wrong, one is left out, one that was read is misquoted, one's tool says something wrong, it is asked about something else. */
export type FaultKind = 'wrong' | 'dropped' | 'misquoted' | 'tool' | 'argument';

export interface Fault {
  readonly kind: FaultKind;
  /** The member that makes it. */
  readonly by: string;
  /** The fact that it is about. */
  readonly about: string;
}

export type Shape = 'pipeline' | 'parallel' | 'supervisor' | 'chat' | 'debate' | 'delegate';

export interface Plan {
  readonly shape: Shape;
  /** Names of the members that know a fact, each with its facts; one that has a fact of another checks it. */
  readonly members: readonly {
    readonly name: string;
    readonly facts: readonly string[];
    readonly looksUp: boolean;
  }[];
  /** Those by which the run fails. */
  readonly faults: readonly Fault[];
  /** One that a later member mends. */
  readonly mended?: Fault | undefined;
  /** True if equal requests are answered by equal words, but for faults. */
  readonly isSteady: boolean;
  readonly seed: number;
}

/** The place where a fault was made: the key of a model call, or the name of a call of a tool. */
export interface Planted {
  readonly kind: 'answer' | 'result';
  readonly key: string;
}

/** The share of calls at which a fault is made again when they are asked once more, and at which any other call makes one. */
const STAYS = 0.25;
const NOISE = 0.01;

/** A team whose models say what follows from what they read, but for the faults that are planted in it. */
export class PlantedTeam {
  readonly #plan: Plan;
  readonly #random: () => number;
  readonly truth: Facts;
  readonly planted: Planted[] = [];
  /** True once the run is on record: from now on faults are made by chance. */
  isOver = false;
  asked = 0;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#random = randomFrom(plan.seed);
    const names = new Set(plan.members.flatMap(({ facts }) => facts));
    // No two are alike: one that is taken for another shows.
    this.truth = Object.fromEntries(
      [...names].map((name, index) => [name, (index + 1) * 100 + Math.floor(this.#random() * 80)]),
    );
  }

  /** Judges an output: all facts, and as they are. */
  readonly fails = ({ output }: { readonly output: unknown }): boolean => {
    // Of a debate the judgement, of a chat its last words: what was said before is in the output, too.
    const reason: unknown = isObject(output) ? Reflect.get(output, 'reason') : undefined;
    const found = factsIn(
      JSON.stringify(reason ?? output ?? '')
        .split('reader:')
        .at(-1) ?? '',
    );
    return Object.entries(this.truth).some(([name, value]) => found[name] !== value);
  };

  team(): Agent<string, unknown> {
    const { shape, members } = this.#plan;
    const named = Object.fromEntries(members.map(({ name }) => [name, this.#member(name)]));
    const list = members.map(({ name }) => this.#member(name));
    const reader = agent({
      name: 'reader',
      instructions: 'Put it together.',
      model: this.#model('reader', []),
    });
    switch (shape) {
      case 'pipeline':
        return pipeline({ name: 'team', stages: [list[0] ?? reader, ...list.slice(1), reader] });
      case 'parallel':
        return parallel({ name: 'team', members: named, aggregator: reader });
      case 'supervisor':
        return supervisorWorker({
          name: 'team',
          supervisor: { instructions: 'Plan.', model: this.#supervisor() },
          workers: named,
        });
      case 'chat':
        return groupChat({ name: 'team', members: { ...named, reader }, maxRounds: members.length + 1 });
      case 'debate':
        return debate({
          name: 'team',
          debaters: named,
          rounds: 1,
          judge: { instructions: 'Judge.', model: this.#judge() },
        });
      case 'delegate':
        return agent({
          name: 'lead',
          instructions: 'Ask them all.',
          model: this.#lead(),
          tools: [delegate({ to: list })],
        });
    }
  }

  #member(name: string): Agent<string, string> {
    const facts = this.#plan.members.find((each) => each.name === name)?.facts ?? [];
    const looksUp = this.#plan.members.some((each) => each.name === name && each.looksUp);
    const lookUp = tool({
      name: 'look_up',
      description: 'Looks a fact up.',
      input: z.object({ what: z.string() }),
      safety: 'read',
      execute: ({ what }, { path, step, callId }) => {
        const value = this.truth[what] ?? 0;
        const isWrong = this.#isFault('tool', name, what, {
          kind: 'result',
          key: `${path}#${step}.${callId}`,
        });
        return `${what}=${isWrong ? value + 1 : value}`;
      },
    });
    return agent({
      name,
      instructions: `You are ${name}.`,
      model: this.#model(name, facts, looksUp),
      tools: looksUp ? [lookUp] : [],
    });
  }

  /** A model that passes on what it has read, with its own facts. */
  #model(name: string, own: readonly string[], looksUp = false): Model {
    return this.#saying(name, (request, key) => {
      const [fact = ''] = own;
      const results = request.messages.toArray().filter(({ role }) => role === 'tool');
      if (looksUp && results.length === 0) {
        const isOther = this.#isFault('argument', name, fact, { kind: 'answer', key });
        const others = Object.keys(this.truth).filter((each) => each !== fact);
        const what = isOther ? (others[0] ?? fact) : fact;
        return { calls: [{ id: 'c', name: 'look_up', input: { what } }] };
      }
      const looked = Object.values(factsIn(results.map(({ text }) => text).join(' ')));
      const known = {
        ...readIn(request),
        ...Object.fromEntries(own.map((each) => [each, this.truth[each] ?? 0])),
      };
      if (looksUp) known[fact] = looked[0] ?? 0;
      return { text: `${this.#opening()} ${textOf(this.#told(name, known, key))}` };
    });
  }

  #supervisor(): Model {
    return this.#saying('supervisor', (request, key) => {
      const said = lastOf(request);
      if (!said.includes('Replies so far')) {
        const assignments = this.#plan.members.map(({ name }) => ({
          worker: name,
          task: `${this.#opening()} report`,
        }));
        return { text: JSON.stringify({ assignments, answer: null }) };
      }
      const answer = `${this.#opening()} ${textOf(this.#told('supervisor', readIn(request), key))}`;
      return { text: JSON.stringify({ assignments: [], answer }) };
    });
  }

  #judge(): Model {
    return this.#saying('judge', (request, key) => ({
      text: JSON.stringify({
        decision: 'for',
        confidence: 1,
        reason: textOf(this.#told('judge', readIn(request), key)),
      }),
    }));
  }

  /** Delegates to one after the other. */
  #lead(): Model {
    return this.#saying('lead', (request, key) => {
      const replies = request.messages.toArray().filter(({ role }) => role === 'tool');
      const next = this.#plan.members[replies.length];
      if (next !== undefined) {
        const input = { to: next.name, task: `${this.#opening()} report` };
        return { calls: [{ id: 'c', name: 'delegate', input }] };
      }
      const known = factsIn(replies.map(({ text }) => text).join(' '));
      return { text: `${this.#opening()} ${textOf(this.#told('lead', known, key))}` };
    });
  }

  #saying(id: string, say: (request: ModelRequest, key: string) => Partial<ModelAnswer>): Model {
    return {
      provider: 'acme',
      id,
      answer: (request, { key }) => {
        this.asked += 1;
        const usage = { input: 100, output: 10, billedUsd: 0.01 };
        return modelAnswer({ ...say(request, key.slice(key.indexOf('/') + 1)), usage });
      },
    };
  }

  /** The facts as a member tells them: with its fault, if it makes one. */
  #told(by: string, known: Facts, key: string): Facts {
    const told: Record<string, number> = { ...known };
    for (const about of Object.keys(known)) {
      const value = known[about] ?? 0;
      if (this.#isFault('wrong', by, about, { kind: 'answer', key })) told[about] = value + 1;
      if (this.#isFault('misquoted', by, about, { kind: 'answer', key })) told[about] = value + 10;
      if (this.#isFault('dropped', by, about, { kind: 'answer', key })) Reflect.deleteProperty(told, about);
    }
    if (this.isOver && this.#random() < NOISE) {
      const [first = ''] = Object.keys(told);
      told[first] = (told[first] ?? 0) + 5;
    }
    return told;
  }

  /** Checks whether a fault is made: each that is planted when the run is recorded, and by chance when it is asked again. */
  #isFault(kind: FaultKind, by: string, about: string, place: Planted): boolean {
    const { faults, mended } = this.#plan;
    const isThis = (fault: Fault | undefined): boolean =>
      fault?.kind === kind && fault.by === by && fault.about === about;
    const counts = faults.some(isThis);
    if (!counts && !isThis(mended)) return false;
    if (this.isOver) return this.#random() < STAYS;
    if (counts) this.planted.push(place);
    return true;
  }

  /** Models seldom say the same by the same words. */
  #opening(): string {
    if (this.#plan.isSteady) return 'Well:';
    return `${['So', 'Well', 'Here', 'Look'][Math.floor(this.#random() * 4)] ?? ''} ${Math.floor(this.#random() * 1e6)}:`;
  }
}

const readIn = ({ messages }: ModelRequest): Record<string, number> => ({
  ...factsIn(
    messages
      .toArray()
      .map(({ text }) => text)
      .join(' '),
  ),
});

const lastOf = ({ messages }: ModelRequest): string => messages.at(messages.length - 1)?.text ?? '';
