import { lasting } from '../../base/text/number-words.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { ModelRetry } from '../../contracts/models/model.ts';
import { modelRetryDefaults, type NoRetryReason } from '../../models/retry/retry-policy.ts';

/** The reason not to wait as long as a provider asks. */
export interface RefusedWait {
  readonly reason: NoRetryReason | 'no-time-left' | undefined;
  readonly retry: ModelRetry | undefined;
  /** In ms: the time that the budgets leave. */
  readonly leftMs: number;
  readonly canFallBack: boolean;
}

/** Adds to the error of a provider that asks to wait: for how long, why that is not done, and what to do. */
export const withRefusedWait = (error: ErrorData, refused: RefusedWait): ErrorData => {
  const { code, message, retryAfterMs: asked } = error;
  if (asked === undefined || asked === 0 || !code.startsWith('model.')) return error;
  const [limit, remedy] = limitOf(refused);
  const advice = refused.canFallBack
    ? 'the next model is asked'
    : `run it again then, ${remedy}or name a model to fall back to`;
  return { ...error, message: `${message}. It asks to wait ${lasting(asked)}${limit}: ${advice}` };
};

/** The limit that is in the way, if one is, and the way past it. */
const limitOf = ({ reason, retry = {}, leftMs }: RefusedWait): readonly [limit: string, remedy: string] => {
  const { maxWaitMs = modelRetryDefaults.maxWaitMs, maxTotalWaitMs = modelRetryDefaults.maxTotalWaitMs } =
    retry;
  const longerThan = (what: string): readonly [string, string] => [
    `, longer than ${what}`,
    'raise that limit, ',
  ];
  switch (reason) {
    case 'wait-too-long':
      return longerThan(`one wait may be (\`failures.retry.maxWaitMs\`: ${lasting(maxWaitMs)})`);
    case 'waited-too-long':
      return longerThan(
        `all waits of a call may be (\`failures.retry.maxTotalWaitMs\`: ${lasting(maxTotalWaitMs)})`,
      );
    case 'no-time-left':
      return longerThan(`its time lasts (\`limits.budget.timeMs\`: ${lasting(Math.max(0, leftMs))} left)`);
    default:
      return ['', ''];
  }
};
