import type { Json } from '../../../base/json/json.ts';
import type { Content, GivenPart } from '../../../contracts/content/part.ts';
import type { Turn } from '../../../contracts/conversations/transcript.ts';
import { textOf } from './read-parts.ts';
import { paramError } from './wire-error.ts';

/** A call in a conversation as the client tells it. */
export interface ToldCall {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
}

/** An answer to a call that a person has to approve. */
export interface ToldApproval {
  readonly id: string;
  readonly yes: boolean;
  readonly reason?: string | undefined;
}

/** An entry of a conversation, of either API. */
export type ToldItem =
  | { readonly kind: 'user'; readonly content: Content }
  /** Instructions of the client: no more to the agent than a message of it. */
  | { readonly kind: 'instructions'; readonly text: string }
  | { readonly kind: 'assistant'; readonly text: string; readonly calls: readonly ToldCall[] }
  | { readonly kind: 'result'; readonly callId: string; readonly text: string }
  | ({ readonly kind: 'approval' } & ToldApproval);

/** A conversation as a run takes it. */
export interface ToldConversation {
  readonly history: readonly Turn<GivenPart>[];
  /** The new message; undefined where the client answers calls. */
  readonly input: Content | undefined;
  /** The results of the calls that the client ran, by id, where they come last. */
  readonly results: ReadonlyMap<string, string>;
  readonly approvals: readonly ToldApproval[];
}

/** Reads what a conversation comes to. @throws {TroupeError} `input.invalid` where it ends with neither a message nor an answer */
export const readConversation = (items: readonly ToldItem[], param: string): ToldConversation => {
  const last = items.at(-1);
  if (last?.kind === 'user')
    return {
      history: turnsOf(items.slice(0, -1)),
      input: last.content,
      results: new Map(),
      approvals: [],
    };
  const answers = items.slice(items.findLastIndex((item) => !isAnswer(item)) + 1);
  if (answers.length === 0)
    throw paramError(param, `'${param}' ends with neither a message of the user nor the result of a call`);
  return {
    history: [],
    input: undefined,
    results: new Map(answers.flatMap((item) => (item.kind === 'result' ? [[item.callId, item.text]] : []))),
    approvals: answers.flatMap((item) => (item.kind === 'approval' ? [item] : [])),
  };
};

const isAnswer = ({ kind }: ToldItem): boolean => kind === 'result' || kind === 'approval';

/** Calls without a result, and results without a call, are left out: providers refuse them. */
const turnsOf = (items: readonly ToldItem[]): readonly Turn<GivenPart>[] => {
  const results = new Map(
    items.flatMap((item): [string, string][] => (item.kind === 'result' ? [[item.callId, item.text]] : [])),
  );
  let count = 0;
  return joinCalls(items).flatMap((item): readonly Turn<GivenPart>[] => {
    switch (item.kind) {
      case 'user':
        return [{ role: 'user', ...spoken(item.content) }];
      case 'instructions':
        return [{ role: 'user', from: 'client', text: item.text }];
      case 'assistant': {
        const called = item.calls.flatMap((call) => {
          const text = results.get(call.id);
          count += 1;
          // Ids of a client may be of any form, and providers refuse some.
          return text === undefined ? [] : [{ ...call, id: `told_${count}`, text }];
        });
        if (item.text === '' && called.length === 0) return [];
        const calls = called.map(({ id, name, input }) => ({ id, name, input }));
        return [
          { role: 'assistant', text: item.text, ...(calls.length === 0 ? {} : { calls }) },
          ...called.map(({ id, name, text }) => ({ role: 'tool' as const, callId: id, tool: name, text })),
        ];
      }
      default:
        return [];
    }
  });
};

/** Items in which the assistant said and called at once are one turn. */
const joinCalls = (items: readonly ToldItem[]): readonly ToldItem[] => {
  const turns: ToldItem[] = [];
  for (const item of items) {
    const before = turns.at(-1);
    const isCall = item.kind === 'assistant' && item.text === '' && item.calls.length > 0;
    if (isCall && before?.kind === 'assistant')
      turns[turns.length - 1] = { ...before, calls: [...before.calls, ...item.calls] };
    else turns.push(item);
  }
  return turns;
};

const spoken = (content: Content): { text: string; parts?: readonly GivenPart[] } =>
  typeof content === 'string' ? { text: content } : { text: textOf(content), parts: content };
