import type * as sdk from '@agentclientprotocol/sdk';
import { toJson } from '../base/json/json.ts';
import type { Json } from '../base/json/json.ts';
import { TroupeError } from '../contracts/errors/error.ts';
import type { ModelDelta } from '../contracts/models/model.ts';
import type { ProviderCall } from '../contracts/models/provider-call.ts';
import type { Demand } from './demand.ts';

/** The end of a turn, in the agent's own words. */
export interface TurnEnd {
  readonly stopReason: sdk.StopReason;
}

/** The part of a turn that was not read before. */
export interface Stage {
  readonly text: string;
  readonly reasoning: string;
  /** The calls that the agent ran itself, and its plan where that changed. */
  readonly worked: readonly ProviderCall[];
  readonly demands: readonly Demand[];
  readonly end: TurnEnd | undefined;
}

/** A stage that nobody has read yet. */
interface OpenStage {
  text: string[];
  reasoning: string[];
  worked: ProviderCall[];
  demands: Demand[];
  end?: TurnEnd;
}

const emptyStage = (): OpenStage => ({ text: [], reasoning: [], worked: [], demands: [] });

/**
 * One turn of a coding agent, from the prompt to its end, read in stages.
 *
 * I1 A stage ends where a call of its own has finished, where it asks for something, and with the turn: where it ends follows from what the
 * agent sent alone, not from when it is read.
 */
export class Turn {
  /** Stages that have ended, oldest first. */
  #stages: OpenStage[] = [];
  #current = emptyStage();
  #failure: TroupeError | undefined;
  #isOver = false;
  readonly #calls = new Map<string, OwnCall>();
  readonly #waiting = new Set<() => void>();
  #listener: ((delta: ModelDelta) => void) | undefined;
  /** The demands of the stage that was read last. */
  handedOut: readonly Demand[] = [];
  /** The last text that a stage had, for an end without words. */
  lastText = '';

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves with the next stage; pieces of it are streamed as they come. Rejects if the agent was lost. */
  async next(listener: (delta: ModelDelta) => void): Promise<Stage> {
    const { reasoning, text } = this.#stages[0] ?? this.#current;
    for (const piece of reasoning) listener({ type: 'reasoning', text: piece });
    for (const piece of text) listener({ type: 'text', text: piece });
    if (this.#stages.length === 0) this.#listener = listener;
    await this.stirs();
    const stage = this.#stages.shift();
    // What was said before it was lost is read first.
    if (stage !== undefined) return this.#read(stage);
    throw this.#failure ?? new TroupeError('acp.lost', 'Cannot read the turn as there is nothing to read');
  }

  /** Resolves once there is something to read: a command may run on while its agent continues. */
  async stirs(): Promise<void> {
    while (this.#stages.length === 0 && this.#failure === undefined)
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
  }

  demand(demand: Demand): void {
    const last = this.#stages.at(-1);
    const { text, reasoning, worked } = this.#current;
    // Requests that come together are one stage.
    if (last !== undefined && last.demands.length > 0 && text.length + reasoning.length + worked.length === 0)
      last.demands.push(demand);
    else {
      this.#current.demands.push(demand);
      this.#cut();
    }
  }

  end(end: TurnEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#current.end = end;
    this.#cut();
  }

  fail(reason: TroupeError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = reason;
    this.#wake();
  }

  /** Adds an update of its session. */
  update(update: sdk.SessionUpdate): void {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        this.#hear('text', textOf(update.content));
        break;
      case 'agent_thought_chunk':
        this.#hear('reasoning', textOf(update.content));
        break;
      case 'tool_call':
      case 'tool_call_update':
        this.#follow(update);
        break;
      case 'plan':
        this.#current.worked.push({ tool: 'plan', input: { entries: toJson(update.entries) } });
        break;
      default:
        break;
    }
    // Whatever it sends, it is not silent.
    this.#listener?.({ type: 'progress' });
  }

  #hear(type: 'text' | 'reasoning', text: string): void {
    if (text === '') return;
    this.#current[type].push(text);
    this.#listener?.({ type, text });
  }

  #follow(update: sdk.ToolCall | sdk.ToolCallUpdate): void {
    const { toolCallId: id, status } = update;
    const known = this.#calls.get(id);
    if (known?.isOver === true) return;
    const call = { ...known, ...fieldsOf(update), isOver: status === 'completed' || status === 'failed' };
    this.#calls.set(id, call);
    if (!call.isOver) return;
    this.#current.worked.push({
      tool: call.name ?? call.kind ?? 'other',
      input: { title: call.title ?? id, ...(call.input === undefined ? {} : { input: call.input }) },
      ...(status === 'failed' ? { problem: outputOf(update) } : {}),
    });
    this.#cut();
  }

  /** Ends the stage. */
  #cut(): void {
    this.#stages.push(this.#current);
    this.#current = emptyStage();
    this.#listener = undefined;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  #read({ text: pieces, reasoning, worked, demands, end }: OpenStage): Stage {
    const text = pieces.join('');
    if (text.trim() !== '') this.lastText = text;
    this.handedOut = demands;
    return { text, reasoning: reasoning.join(''), worked, demands, end };
  }
}

/** A call that the agent runs itself. */
interface OwnCall {
  readonly title?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly input?: Json;
  readonly isOver: boolean;
}

/** The fields that an update has; those that it leaves out stay as they were. */
const fieldsOf = ({
  title,
  kind,
  name,
  rawInput,
}: sdk.ToolCall | sdk.ToolCallUpdate): Omit<OwnCall, 'isOver'> => ({
  ...(typeof title === 'string' ? { title } : {}),
  ...(typeof kind === 'string' ? { kind } : {}),
  ...(typeof name === 'string' ? { name } : {}),
  ...(rawInput === undefined || rawInput === null ? {} : { input: toJson(rawInput) }),
});

const outputOf = ({ content }: sdk.ToolCall | sdk.ToolCallUpdate): string => {
  const texts = (content ?? []).flatMap((each) => (each.type === 'content' ? [textOf(each.content)] : []));
  return texts.join('\n').slice(0, 2_000) || 'it failed';
};

const textOf = (content: sdk.ContentBlock): string => {
  switch (content.type) {
    case 'text':
      return content.text;
    case 'resource_link':
      return `[${content.name}](${content.uri})`;
    case 'resource':
      return 'text' in content.resource ? content.resource.text : `[${content.resource.uri}]`;
    default:
      return `[${content.type} ${content.mimeType}]`;
  }
};
