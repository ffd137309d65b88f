import { TroupeError } from '../../contracts/errors/error.ts';
import type { LiveEvent } from '../../contracts/events/event.ts';
import type { Terminated } from '../../contracts/messages/message.ts';
import type { Run } from '../run/run.ts';

/** The end of the agent at an address, past or future. */
export const terminationOf = async (run: Run, path: string): Promise<Terminated> => {
  let leave = (): void => undefined;
  try {
    return await new Promise<Terminated>((resolve, reject) => {
      leave = run.log.stream.watch({
        name: 'watch',
        wantsDeltas: false,
        next: (event) => {
          const end = endIn(event, path);
          if (end !== undefined) resolve(end);
        },
        complete: () => {
          const there = [...new Set(run.log.events.slice().map((event) => event.path))];
          const message = `Cannot watch '${path}' as nobody was there in the whole run: there were ${quotedList(there)}`;
          reject(new TroupeError('agent.unknown', message, { runId: run.runId, path }));
        },
      });
    });
  } finally {
    leave();
  }
};

const endIn = (event: LiveEvent, path: string): Terminated | undefined => {
  if (event.path !== path || (event.type !== 'member.ended' && event.type !== 'run.ended')) return undefined;
  const { agent, status, error, at } = event;
  return { path, agent, reason: reasons[status], ...(error === undefined ? {} : { error }), at };
};

/** The first addresses of a run, for a message. */
const quotedList = (paths: readonly string[]): string => {
  const rest = paths.length - MOST_NAMED;
  const named = paths.slice(0, MOST_NAMED).map((path) => `'${path}'`);
  return [...named, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
};

const MOST_NAMED = 20;

const reasons = { completed: 'normal', failed: 'error', stopped: 'stopped', aborted: 'killed' } as const;
