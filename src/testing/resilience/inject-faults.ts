import { canonical } from '../../base/json/canonical.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { journaledDefinition } from '../../runtime/journal/resume/resume.ts';
import type { EvaluatedAgent } from '../evals/eval-options.ts';
import { writingMember } from '../rehearsal/writing-member.ts';
import { dependencies, faultsFor } from './fault.ts';
import type { InjectFaultsOptions } from './fault-options.ts';
import { checkFaults } from './fault-options.ts';
import { FaultRun } from './fault-run.ts';
import { varyingTools } from './own-variance.ts';
import type { FaultOutcome, ResilienceReport } from './resilience-report.ts';
import { resilienceReport } from './resilience-report.ts';

/**
 * Runs an agent's task twice without a fault, then again and again, each time with one in what it depends on, and reports the outcomes. Time is
 * virtual: time-outs and back-offs take none. What differs between the first two differs by itself, and no fault is blamed for it.
 *
 * Models answer 503, 429 or 401, garbage, half an answer, nothing, or not at all; tools throw, hang, are slow, or return garbage; the store fails
 * or loses the lease; the process is killed at each write, and the run resumed. **Tools are executed again and again**: give the agent tools that
 * may be.
 *
 * @example
 * const { outcomes, weak } = await injectFaults(clerk, { input: 'The weather in Oslo?' });
 * for (const { fault, outcome, weakness } of outcomes) if (weakness) console.log(fault.kind, fault.at, outcome, weakness);
 *
 * @throws {TroupeError} `input.invalid` for invalid options, for an agent with memories, and where the run completes not even without a fault.
 */
export const injectFaults = async (
  agent: EvaluatedAgent,
  options: InjectFaultsOptions,
): Promise<ResilienceReport> => {
  checkFaults(options, `agent '${agent.name}'`);
  const writer = writingMember(journaledDefinition(agent));
  if (writer !== undefined)
    throw new TroupeError(
      'input.invalid',
      `Cannot inject faults into '${agent.name}' as '${writer}' has memories, which each run would write to`,
    );
  const { faults = dependencies, limit = 10, isSame = isEqual, signal, onProgress } = options;
  const first = new FaultRun(agent, options);
  const baseline = await first.begin();
  const again = await new FaultRun(agent, options, undefined, baseline.recording).begin();
  const varies = {
    answer: !isSame(again.output, baseline.output),
    tools: varyingTools(baseline.events, again.events),
  };
  const wanted = faultsFor(first.places, faults, limit);
  const outcomes: FaultOutcome[] = [];
  for (const fault of wanted) {
    if (signal?.aborted === true) break;
    outcomes.push(
      await new FaultRun(agent, options, fault, baseline.recording).inject(fault, {
        output: baseline.output,
        answerVaries: varies.answer,
        isSame: (found) => isSame(found, baseline.output),
      }),
    );
    onProgress?.(outcomes.length, wanted.length);
  }
  const { output, durationMs } = baseline;
  return resilienceReport({
    agent: agent.name,
    input: options.input,
    baseline: { ...first.places, output, durationMs, varies },
    outcomes,
    ...(outcomes.length === wanted.length
      ? {}
      : { stopped: `it was aborted: ${outcomes.length} of ${wanted.length} faults` }),
  });
};

const isEqual = (one: Json, other: Json): boolean => canonical(toJson(one)) === canonical(toJson(other));
