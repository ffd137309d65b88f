import type { Clock } from '../../base/clock.ts';
import type { Effect } from '../../contracts/runs/effect.ts';
import { effectKey } from '../../contracts/runs/effect.ts';
import { errorData } from '../../contracts/errors/error.ts';
import type { EventBody } from '../../contracts/events/event.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import type { MemoryRecord, MemorySource } from '../../contracts/conversations/memory.ts';
import type { EffectRecord } from '../../contracts/runs/run-result.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import type { MemoryWriting } from '../../memory/memories/memory-session.ts';
import { MemorySession } from '../../memory/memories/memory-session.ts';
import { recordsOfRun, recordsOfStep } from '../../memory/memories/records-of.ts';
import type { EventLog } from '../log/event-log.ts';
import type { Origins } from '../../contracts/tools/origins.ts';
import type { Scope } from '../journal/write/scope.ts';
import type { Speaker } from '../log/lazy-log.ts';
import type { RunSecrets } from '../secrets/run-secrets.ts';

/** The calls that an agent's memories need of its run; the journal decides when they may be written. */
export interface RememberingRun {
  readonly runId: string;
  readonly thread: string | undefined;
  readonly tenant: string | undefined;
  readonly clock: Clock;
  readonly log: Pick<EventLog, 'write' | 'now' | 'events'>;
  readonly secrets: Pick<RunSecrets, 'value'>;
  readonly journal: { readonly memories: MemoryKeeper };
  readonly effects: { note(record: EffectRecord): void };
}

/** An agent as its memories see it. */
export interface Rememberer extends Speaker {
  readonly scope: Scope;
  readonly origins: Pick<Origins, 'mark'>;
}

/** The journal's part in memory writes. */
export interface MemoryKeeper {
  /** Resolves when the records may be written; undefined: now. */
  when(agent: Rememberer, key: string, records: readonly MemoryRecord[]): Promise<MemoryWriting> | undefined;
  /** Registers that they are written. */
  done(agent: Rememberer, key: string): void;
}

/** The memories of one agent in its run. Owns their session, which the run closes after its root has ended, which ends last. */
export class AgentMemory {
  readonly session: MemorySession;
  readonly #agent: Rememberer;
  readonly #run: RememberingRun;

  constructor(agent: Rememberer, sources: readonly MemorySource[], run: RememberingRun) {
    this.#agent = agent;
    this.#run = run;
    const { runId, thread, tenant, clock, log } = run;
    this.session = new MemorySession({
      sources,
      place: { runId, agent: agent.agent, thread, tenant },
      clock,
      onFailure: (memory, work, thrown) => {
        const message = `Cannot ${work === 'remember' ? 'write to' : work} the memory '${memory}'`;
        const error = errorData(thrown, 'memory.failed', {
          message,
          runId,
          path: agent.path,
          operation: work,
        });
        log.write({ type: 'memory.failed', memory, work, error }, agent);
      },
    });
  }

  /**
   * Writes records as an effect without a receiver: it is recorded with its key before it starts, in order of events, and the run's last
   * event waits for it.
   */
  remember(place: Pick<Effect, 'step' | 'phase' | 'index'>, records: readonly MemoryRecord[]): void {
    if (records.length === 0) return;
    const { runId } = this.#run;
    const { path, origins } = this.#agent;
    const marked = records.map((record) => origins.mark(record));
    this.rememberAs(effectKey({ runId, path, ...place, attempt: 1 }), marked);
  }

  /** Like `remember`, with the key of the effect. */
  rememberAs(key: string, records: readonly MemoryRecord[]): void {
    const { journal, log, effects, secrets } = this.#run;
    const record: { -readonly [Key in keyof EffectRecord]: EffectRecord[Key] } = {
      key,
      port: 'remember',
      path: this.#agent.path,
      askedAt: log.now(),
      state: 'asked',
    };
    effects.note(record);
    const when = journal.memories.when(this.#agent, key, records);
    // Redacted, as memories outlive the run and are read by other runs and by people.
    void this.session.remember(secrets.value(records), when).then(() => {
      record.state = 'answered';
      journal.memories.done(this.#agent, key);
    });
  }

  /** Restores the input from the answer of a `prepare` effect that preceded the resume. */
  preparedBefore(answer: unknown): void {
    const said = toJson(answer);
    if (isJsonObject(said)) this.session.input = said['input'] ?? null;
  }

  /** Writes a finished step. */
  rememberStep(body: EventBody): void {
    if (body.type !== 'step.ended') return;
    const { record } = body;
    this.remember(
      { step: record.step, phase: 'CHECK_STOP', index: 0 },
      recordsOfStep(record, this.#run.runId),
    );
  }

  /** Writes the end of the agent, however it ended. */
  rememberEnd({ status, output, steps }: Outcome): void {
    const { runId, log } = this.#run;
    const { input } = this.session;
    const end = { runId, agent: this.#agent.agent, at: log.now(), input, output };
    this.remember(
      { step: steps, phase: status, index: 0 },
      recordsOfRun({ ...end, isSuccess: status === 'completed' }),
    );
  }
}
