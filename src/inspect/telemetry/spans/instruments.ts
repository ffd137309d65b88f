import type { Attributes, Meter } from '@opentelemetry/api';
import type { LiveEvent } from '../../../contracts/events/event.ts';
import { attribute, buckets, modelNames } from './conventions.ts';
import type { Work, WorkEnd, WorkKind, WorkListener } from '../work/work.ts';

const instrumentsOf = (meter: Meter) => {
  const histogram = (name: string, unit: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { unit, advice: { explicitBucketBoundaries } });
  const counter = (name: string, unit: string) => meter.createCounter(name, { unit });
  const gauge = (name: string, unit: string) => meter.createUpDownCounter(name, { unit });
  return {
    tokens: histogram('gen_ai.client.token.usage', '{token}', buckets.tokens),
    modelCall: histogram('gen_ai.client.operation.duration', 's', buckets.call),
    firstChunk: histogram('gen_ai.client.operation.time_to_first_chunk', 's', buckets.call),
    toolCall: histogram('gen_ai.execute_tool.duration', 's', buckets.call),
    agent: histogram('gen_ai.invoke_agent.duration', 's', buckets.agent),
    workflow: histogram('gen_ai.workflow.duration', 's', buckets.workflow),
    wait: histogram('troupe.tool.wait', 's', buckets.agent),
    runs: counter('troupe.runs', '{run}'),
    steps: counter('troupe.steps', '{step}'),
    retries: counter('troupe.retries', '{retry}'),
    cost: counter('troupe.cost', '{USD}'),
    droppedEvents: counter('troupe.events.dropped', '{event}'),
    droppedMessages: counter('troupe.messages.dropped', '{message}'),
    budget: histogram('troupe.budget.used', '1', [0.5, 0.75, 0.8, 0.9, 0.95, 1, 1.1]),
    activeRuns: gauge('troupe.runs.active', '{run}'),
    active: gauge('troupe.work.active', '{work}'),
  };
};

/** Measures work by the conventions, and by names of our own (`troupe.…`) where they have none. */
export class Measures implements WorkListener {
  readonly #instruments: ReturnType<typeof instrumentsOf>;
  readonly #arriving = new WeakSet<Work>();

  constructor(meter: Meter) {
    this.#instruments = instrumentsOf(meter);
  }

  began(work: Work): void {
    if (work.kind === 'phase') return;
    this.#instruments.active.add(1, { 'troupe.work': workNames[work.kind] });
    if (isRun(work)) this.#instruments.activeRuns.add(1);
  }

  ended(work: Work, end: WorkEnd): void {
    if (work.kind === 'phase') return;
    this.#instruments.active.add(-1, { 'troupe.work': workNames[work.kind] });
    const seconds = (end.at - work.startedAt) / 1_000;
    const error = end.outcome === 'failed' ? { [attribute.errorType]: end.error?.code ?? '_OTHER' } : {};
    if (work.kind === 'model') this.#modelEnded(work, end, seconds, error);
    else if (work.kind === 'wait')
      this.#instruments.wait.record(seconds, { [attribute.toolName]: work.name });
    else if (work.kind === 'tool') {
      const names = { [attribute.toolName]: work.name, [attribute.agentName]: work.agent };
      this.#instruments.toolCall.record(seconds, { ...names, [attribute.toolType]: 'function', ...error });
    } else if (work.kind === 'team')
      this.#instruments.workflow.record(seconds, { [attribute.workflowName]: work.name, ...error });
    else this.#instruments.agent.record(seconds, { [attribute.agentName]: work.name, ...error });
    if (isRun(work)) this.#runEnded(work, end);
  }

  noted(event: LiveEvent, about: Work | undefined): void {
    const { steps, retries, budget, droppedEvents, droppedMessages } = this.#instruments;
    const agent = { [attribute.agentName]: event.agent };
    if (event.type === 'step.ended') steps.add(1, agent);
    else if (event.type === 'model.retrying') retries.add(1, { 'troupe.work': 'model' });
    else if (event.type === 'tool.retrying') retries.add(1, { 'troupe.work': 'tool' });
    else if (event.type === 'child.restarted') retries.add(1, { 'troupe.work': 'member' });
    else if (event.type === 'budget.warned') budget.record(event.fraction, { 'troupe.budget': event.budget });
    else if (event.type === 'observer.dropped')
      droppedEvents.add(event.count, { 'troupe.observer': event.observer });
    else if (event.type === 'message.dropped')
      droppedMessages.add(event.count ?? 1, { 'troupe.reason': event.reason });
    else if (event.type === 'model.delta' && about?.kind === 'model' && !this.#arriving.has(about)) {
      this.#arriving.add(about);
      this.#instruments.firstChunk.record((event.at - about.startedAt) / 1_000, chatOf(about));
    }
  }

  #modelEnded(work: Work, { by }: WorkEnd, seconds: number, error: Attributes): void {
    const chat = chatOf(work);
    const { modelCall, tokens, cost } = this.#instruments;
    modelCall.record(seconds, { ...chat, ...error });
    if (by?.type !== 'model.answered') return;
    tokens.record(by.usage.input, { ...chat, [attribute.tokenType]: 'input' });
    tokens.record(by.usage.output, { ...chat, [attribute.tokenType]: 'output' });
    if (by.costUsd !== undefined) cost.add(by.costUsd, chat);
  }

  #runEnded(work: Work, { by, outcome }: WorkEnd): void {
    this.#instruments.activeRuns.add(-1);
    // One that has left this process is not over.
    if (outcome === 'unfinished' && by?.type === 'run.ended' && by.status !== 'aborted') return;
    const status = by?.type === 'run.ended' ? by.status : 'unfinished';
    this.#instruments.runs.add(1, { [attribute.agentName]: work.name, 'troupe.status': status });
  }
}

const workNames: Readonly<Record<WorkKind, string>> = {
  agent: 'agent',
  team: 'team',
  phase: 'phase',
  model: 'model_call',
  tool: 'tool_call',
  wait: 'waiting_call',
};

const isRun = ({ kind, by }: Work): boolean =>
  (kind === 'agent' || kind === 'team') && by.type === 'run.started';

const chatOf = ({ name }: Work): Attributes => {
  const { provider, id } = modelNames(name);
  return {
    [attribute.operation]: 'chat',
    [attribute.provider]: provider,
    [attribute.requestModel]: id,
  };
};
