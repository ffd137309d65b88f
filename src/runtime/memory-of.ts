import type { Effect } from '../contracts/effect.ts';
import { effectKey } from '../contracts/effect.ts';
import { errorData } from '../contracts/error.ts';
import type { EventBody } from '../contracts/event.ts';
import { isJsonObject, toJson } from '../contracts/json.ts';
import type { MemoryRecord } from '../contracts/memory.ts';
import type { EffectRecord, Outcome } from '../contracts/run.ts';
import { MemorySession } from '../memory/memory-session.ts';
import { recordsOfRun, recordsOfStep } from '../memory/records-of.ts';
import { ShownConversation } from '../memory/shown-conversation.ts';
import type { Actor } from './stage.ts';

/** The memories of an actor in its run, made on first use. */
export const memoryOf = (entry: Actor): MemorySession | undefined => {
  const sources = entry.definition.agent?.memories;
  if (sources === undefined || sources.length === 0) return undefined;
  const { run, definition } = entry;
  const { runId, thread, clock } = run;
  return (entry.memory ??= new MemorySession({
    sources,
    place: { runId, agent: definition.name, thread },
    clock,
    onFailure: (memory, work, thrown) => {
      const message = `Cannot ${work === 'remember' ? 'write to' : work} the memory '${memory}'`;
      const error = errorData(thrown, 'memory.failed', { message });
      run.log.write({ type: 'memory.failed', memory, work, error }, entry);
    },
  }));
};

/** What the models of an actor were shown, made on first use. */
export const conversationOf = (entry: Actor): ShownConversation =>
  (entry.conversation ??= new ShownConversation(
    entry.definition.agent?.context ?? { processors: () => [], isConstant: false, counter: undefined },
  ));

/**
 * Has records written, as an effect that nobody waits for: it is on record with its key before it begins, in the order of
 * what happened, and the run's last event waits for it.
 */
export const remember = (
  entry: Actor,
  place: Pick<Effect, 'step' | 'phase' | 'index'>,
  records: readonly MemoryRecord[],
): void => {
  if (memoryOf(entry) === undefined || records.length === 0) return;
  const { run, path } = entry;
  rememberAs(entry, effectKey({ runId: run.runId, path, ...place, attempt: 1 }), records);
};

/** Like `remember`, by the key of the effect. */
export const rememberAs = (entry: Actor, key: string, records: readonly MemoryRecord[]): void => {
  const memory = memoryOf(entry);
  if (memory === undefined) return;
  const { run, path } = entry;
  const { journal } = run;
  const record: { -readonly [Key in keyof EffectRecord]: EffectRecord[Key] } = {
    key,
    port: 'remember',
    path,
    askedAt: run.log.now(),
    state: 'asked',
  };
  run.effects.note(record);
  // What is kept beside the run is for other runs, and for people.
  void memory.remember(run.secrets.value(records), journal.memories.when(entry, key, records)).then(() => {
    record.state = 'answered';
    journal.memories.done(entry, key);
  });
};

/** An agent was prepared before its run was taken up again: what it was asked stands in the answer. */
export const preparedBefore = (entry: Actor, answer: unknown): void => {
  const memory = memoryOf(entry);
  const said = toJson(answer);
  if (memory !== undefined && isJsonObject(said)) memory.input = said['input'] ?? null;
};

/** Writes down a step that is over. */
export const rememberStep = (entry: Actor, body: EventBody): void => {
  if (body.type !== 'step.ended') return;
  const { record } = body;
  const { runId } = entry.run;
  remember(entry, { step: record.step, phase: 'CHECK_STOP', index: 0 }, recordsOfStep(record, runId));
};

/** Writes down that an agent is done, whatever came of it. */
export const rememberEnd = (entry: Actor, { status, output, steps }: Outcome): void => {
  const memory = memoryOf(entry);
  if (memory === undefined) return;
  const { run, definition } = entry;
  const end = { runId: run.runId, agent: definition.name, at: run.log.now(), input: memory.input, output };
  remember(
    entry,
    { step: steps, phase: status, index: 0 },
    recordsOfRun({ ...end, isSuccess: status === 'completed' }),
  );
};
