import type { EventBody } from '../contracts/event.ts';
import type { RunTotals } from '../contracts/run.ts';

type Counts = { -readonly [Key in Exclude<keyof RunTotals, 'durationMs'>]: number };

/** What a whole run has used, counted from what is said of it. */
export class RunCounter {
  readonly counts: Counts = {
    steps: 0,
    modelCalls: 0,
    toolCalls: 0,
    inputTokens: 0,
    outputTokens: 0,
    cachedTokens: 0,
    retries: 0,
  };

  count(body: EventBody): void {
    const { counts } = this;
    switch (body.type) {
      case 'step.ended':
        counts.steps += 1;
        break;
      case 'model.asked':
        counts.modelCalls += 1;
        break;
      case 'model.answered':
        counts.inputTokens += body.usage.input;
        counts.outputTokens += body.usage.output;
        counts.cachedTokens += body.usage.cached ?? 0;
        break;
      case 'tool.finished':
        counts.toolCalls += 1;
        break;
      // Every attempt beyond the first is one, by whichever model.
      case 'model.retrying':
      case 'model.fellBack':
      case 'tool.retrying':
        counts.retries += 1;
        break;
      default:
    }
  }
}
