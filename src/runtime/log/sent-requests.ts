import { canonical } from '../../base/json/canonical.ts';
import { toJson } from '../../base/json/json.ts';
import type { LiveEvent } from '../../contracts/events/event.ts';
import type { ModelSettings, OutputSpec, ToolChoice } from '../../contracts/models/model.ts';
import type { SentRequest, SentSource } from '../../contracts/models/sent-request.ts';
import type { ToolSpec } from '../../contracts/tools/tool-call.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';

/** One turn of a conversation that a model was sent. */
export interface SentTurn {
  readonly turn: Turn;
  /** It was in no request of the agent before this one. */
  readonly isNew: boolean;
}

/** The request of a model call, whole. */
export interface WholeRequest {
  readonly key: string;
  readonly model: string;
  readonly path: string;
  readonly step?: number | undefined;
  readonly at: number;
  readonly instructions: string;
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly SentTurn[];
  readonly output?: OutputSpec | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  readonly settings?: ModelSettings | undefined;
  readonly hashes: { readonly instructions: string; readonly tools: string };
}

/** The requests of an agent so far. */
interface Known {
  readonly texts: Map<string, string>;
  readonly tools: Map<string, readonly ToolSpec[]>;
  readonly outputs: Map<string, OutputSpec>;
  readonly turns: Turn[];
  /** Number of the first turns that another process had sent before this one began to number. */
  readonly sentBefore: number;
  /** The hashes of what the last request had. */
  last: WholeRequest['hashes'];
}

type Asked = Extract<LiveEvent, { type: 'model.asked' }>;

/**
 * Puts requests of model calls together from what each added to those before.
 *
 * Give it all events from the beginning; `take` gives the request of a `model.asked` that says what was sent, and undefined for all
 * others, and where what was sent before is not known.
 */
export class SentRequests {
  readonly #agents = new Map<string, Known>();

  /** Takes in an event, without putting its request together. */
  note(event: LiveEvent): void {
    if (event.type !== 'model.asked' || event.request === undefined) return;
    const { isFirst, instructions, tools, output, added } = event.request;
    const before = this.#agents.get(event.path);
    const isRestart = before === undefined || isFirst === true;
    const known = isRestart ? nothingKnown(sameTurns(before?.turns ?? [], added)) : before;
    this.#agents.set(event.path, known);
    known.last = {
      instructions: instructions?.hash ?? known.last.instructions,
      tools: tools?.hash ?? known.last.tools,
    };
    if (instructions?.text !== undefined) known.texts.set(instructions.hash, instructions.text);
    if (tools?.specs !== undefined) known.tools.set(tools.hash, tools.specs);
    if (output?.spec !== undefined) known.outputs.set(output.hash, output.spec);
    known.turns.push(...added);
  }

  /** The same, to be continued apart from it. */
  copy(): SentRequests {
    const copy = new SentRequests();
    for (const [path, { texts, tools, outputs, turns, sentBefore, last }] of this.#agents)
      copy.#agents.set(path, {
        sentBefore,
        texts: new Map(texts),
        tools: new Map(tools),
        outputs: new Map(outputs),
        turns: [...turns],
        last,
      });
    return copy;
  }

  take(event: LiveEvent): WholeRequest | undefined {
    this.note(event);
    return event.type === 'model.asked' && event.request !== undefined
      ? this.#whole(event, event.request)
      : undefined;
  }

  #whole({ key, model, path, step, at }: Asked, request: SentRequest): WholeRequest | undefined {
    const known = this.#agents.get(path);
    if (known === undefined) return undefined;
    const { output, toolChoice, settings, turns, added } = request;
    const hashes = known.last;
    const text = known.texts.get(hashes.instructions);
    const specs = known.tools.get(hashes.tools);
    const spec = output === undefined ? undefined : known.outputs.get(output.hash);
    if (text === undefined || specs === undefined) return undefined;
    const firstNew = Math.max(known.turns.length - added.length, known.sentBefore);
    const messages: SentTurn[] = [];
    for (const [from, to] of turns)
      for (let number = from; number <= to; number += 1) {
        const turn = known.turns[number];
        if (turn === undefined) return undefined;
        messages.push({ turn, isNew: number >= firstNew });
      }
    return {
      key,
      model,
      path,
      ...(step === undefined ? {} : { step }),
      at,
      instructions: text,
      tools: specs,
      messages,
      ...(spec === undefined ? {} : { output: spec }),
      ...(toolChoice === undefined ? {} : { toolChoice }),
      ...(settings === undefined ? {} : { settings }),
      hashes,
    };
  }
}

/** Number of turns at the beginning that are the same in both. */
const sameTurns = (before: readonly Turn[], now: readonly Turn[]): number => {
  const other = now.findIndex((turn, index) => textOf(turn) !== textOf(before[index]));
  return other < 0 ? now.length : other;
};

const textOf = (turn: Turn | undefined): string => canonical(toJson(turn ?? null));

const nothingKnown = (sentBefore: number): Known => ({
  sentBefore,
  texts: new Map(),
  tools: new Map(),
  outputs: new Map(),
  turns: [],
  last: { instructions: '', tools: '' },
});

/** An event with what its model was sent, or gave, where that is known: what is kept of a run may hold it, and its own log never does. */
export const withSent = <Event extends LiveEvent>(event: Event, source: SentSource): Event => {
  if (event.type === 'model.asked') {
    const request = source.requestOf(event.key);
    return request === undefined ? event : { ...event, request };
  }
  if (event.type === 'model.answered') {
    const raw = source.answerOf(event.key);
    return raw === undefined ? event : { ...event, raw };
  }
  return event;
};
