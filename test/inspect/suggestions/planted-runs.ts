import type { Json } from '../../../src/base/json/json.ts';
import { EVENT_VERSION } from '../../../src/contracts/events/event-version.ts';
import type { EventBody, RuntimeEvent } from '../../../src/contracts/events/event.ts';
import type { Usage } from '../../../src/contracts/models/usage.ts';
import type { SuggestionType } from '../../../src/inspect/suggestions/suggestion.ts';
import type { RunStatus } from '../../../src/contracts/runs/run-status.ts';

/** The kinds of suggestions that forks can try: that a tool only reads follows from none. */
export type TriedType = Exclude<SuggestionType, 'cacheable-tool'>;

/** The place of an event that is planted. */
interface Place {
  readonly agent: string;
  readonly path: string;
  readonly step?: number;
}

/** Writes the events of a run that never was, so that tests say exactly what is in it. */
export class PlantedRun {
  readonly events: RuntimeEvent[] = [];
  readonly runId: string;
  readonly place: Place;
  at: number;
  #calls = 0;
  #costUsd: number | undefined = 0;
  readonly #tokens = { inputTokens: 0, outputTokens: 0 };
  readonly #startedAt: number;

  constructor(
    runId: string,
    { agent = 'clerk', input = runId, at = 0 }: { agent?: string; input?: Json; at?: number } = {},
  ) {
    this.runId = runId;
    this.place = { agent, path: agent };
    this.at = at;
    this.#startedAt = at;
    this.say({ type: 'run.started', input });
  }

  say(body: EventBody, place: Partial<Place> = {}): this {
    const { runId, at } = this;
    const frame = { v: EVENT_VERSION, seq: this.events.length, at, runId, ...this.place, ...place };
    // Exactly the fields of an event of that type.
    this.events.push({ ...frame, ...body } as RuntimeEvent);
    return this;
  }

  /** A model call that is answered after `ms`. */
  model(
    text: string,
    {
      ms = 10,
      model = 'acme:large',
      calls = 0,
      usage = { input: 100, output: 300 },
      costUsd = 0.01,
      step = 0,
    }: {
      ms?: number;
      model?: string;
      calls?: number;
      usage?: Usage;
      costUsd?: number | undefined;
      step?: number;
    } = {},
  ): this {
    const key = `${this.runId}/${this.place.path}#${(this.#calls += 1)}`;
    this.say({ type: 'model.asked', model, key, messages: this.#calls, attempt: 1 }, { step });
    this.at += ms;
    this.#costUsd = this.#costUsd === undefined ? undefined : this.#costUsd + costUsd;
    this.#tokens.inputTokens += usage.input;
    this.#tokens.outputTokens += usage.output;
    const finish = calls > 0 ? 'tool-calls' : 'stop';
    return this.say(
      { type: 'model.answered', model, key, text, calls, finish, usage, costUsd, durationMs: ms },
      { step },
    );
  }

  /** A tool call that finishes after `ms`. */
  tool(tool: string, input: Json, text: string, { ms = 10, step = 0 } = {}): this {
    const callId = `call_${step}_${this.events.length}`;
    this.say({ type: 'tool.started', callId, tool, input, description: tool, attempt: 1 }, { step });
    this.at += ms;
    return this.say({ type: 'tool.finished', callId, tool, ok: true, text, durationMs: ms }, { step });
  }

  end(status: RunStatus = 'completed', output: Json = 'done'): this {
    const durationMs = this.at - this.#startedAt;
    const counts = { steps: 1, modelCalls: this.#calls, toolCalls: 0, cachedTokens: 0, retries: 0 };
    const totals = { ...counts, ...this.#tokens, durationMs, costUsd: this.#costUsd };
    return this.say({ type: 'run.ended', status, stopReason: { kind: 'answered' }, output, totals });
  }
}

/** As many planted runs, each made by a function of its number. */
export const planted = (
  count: number,
  plant: (run: PlantedRun, index: number) => void,
  agent = 'clerk',
): readonly PlantedRun[] =>
  Array.from({ length: count }, (_, index) => {
    const run = new PlantedRun(`run-${index}`, { agent, input: `question ${index}`, at: index * 1_000 });
    plant(run, index);
    if (run.events.at(-1)?.type !== 'run.ended') run.end();
    return run;
  });
