import type { Attributes } from '@opentelemetry/api';
import { attribute, finishName, modelNames, OWN_PROVIDER, own } from './conventions.ts';
import type { Work, WorkEnd } from '../work/work.ts';

/** Attributes known when a span starts: samplers see them. */
export const startAttributes = (work: Work): Attributes => ({
  ...kindAttributes(work),
  [own.runId]: work.runId,
  [own.path]: work.path,
  ...(work.by.step === undefined ? {} : { [own.step]: work.by.step }),
  ...(work.phase === undefined ? {} : { [own.phase]: work.phase }),
  ...(work.scope.thread === undefined ? {} : { [attribute.conversation]: work.scope.thread }),
});

const kindAttributes = (work: Work): Attributes => {
  const { kind, name, agent, path, by } = work;
  if (kind === 'model') {
    const { provider, id } = modelNames(name);
    return {
      [attribute.operation]: 'chat',
      [attribute.provider]: provider,
      [attribute.requestModel]: id,
      [attribute.agentName]: agent,
      ...(by.type === 'model.asked' ? { [own.attempt]: by.attempt } : {}),
    };
  }
  if (kind === 'tool')
    return {
      [attribute.operation]: 'execute_tool',
      [attribute.toolName]: name,
      [attribute.toolType]: 'function',
      [attribute.agentName]: agent,
      ...('callId' in by ? { [attribute.toolCall]: by.callId } : {}),
    };
  return kind === 'team'
    ? { [attribute.operation]: 'invoke_workflow', [attribute.workflowName]: name }
    : {
        [attribute.operation]: 'invoke_agent',
        [attribute.provider]: OWN_PROVIDER,
        [attribute.agentName]: name,
        [attribute.agentId]: path,
      };
};

/** Attributes known at the end. */
export const endAttributes = (work: Work, { outcome, error, by }: WorkEnd): Attributes => ({
  ...(outcome === 'failed' ? { [attribute.errorType]: error?.code ?? '_OTHER' } : {}),
  ...(outcome === 'unfinished' ? { [own.unfinished]: true } : {}),
  ...(work.kind === 'model' ? answerAttributes(work.name, by) : {}),
  ...(by?.type === 'tool.finished' && by.cached === true ? { [own.cached]: true } : {}),
  ...(by?.type === 'run.ended' || by?.type === 'member.ended'
    ? isOf(work, by.path)
      ? { [own.status]: by.status, [own.stopReason]: by.stopReason.kind }
      : {}
    : {}),
});

/** Checks whether an event that ends actors is about this one, and not about one above it. */
const isOf = ({ kind, path }: Work, ended: string): boolean =>
  (kind === 'agent' || kind === 'team') && path === ended;

const answerAttributes = (asked: string, by: WorkEnd['by']): Attributes => {
  if (by?.type !== 'model.answered') return {};
  const { model, usage, costUsd, finish } = by;
  return {
    // The name that was asked stands for one that the provider did not give.
    ...(model === asked ? {} : { [attribute.responseModel]: model }),
    [attribute.finishReasons]: [finishName(finish)],
    [attribute.inputTokens]: usage.input,
    [attribute.outputTokens]: usage.output,
    ...(usage.cached === undefined ? {} : { [attribute.cachedTokens]: usage.cached }),
    ...(usage.stored === undefined ? {} : { [attribute.storedTokens]: usage.stored }),
    ...(usage.reasoning === undefined ? {} : { [attribute.reasoningTokens]: usage.reasoning }),
    ...(usage.isEstimate === true ? { [own.estimated]: true } : {}),
    ...(costUsd === undefined ? {} : { [own.costUsd]: costUsd }),
  };
};
