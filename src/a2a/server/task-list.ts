import type { ListTasksRequest, ListTasksResponse, Task } from '@a2a-js/sdk';
import type { RemoteEntry } from '../../contracts/runs/remote-run.ts';
import { readTask } from './read-task.ts';
import type { AgentRequest } from './agent-request.ts';

/** Tasks of a page by default, and at most. */
const PAGE = 50;
const MOST_ON_PAGE = 100;
/** Runs of a caller that are looked at, the newest first. */
const MOST_LISTED = 1_000;

/** Lists the tasks of a caller with an agent, the last changed first. */
export const listTasks = async (
  asked: AgentRequest,
  {
    contextId,
    status,
    pageSize = PAGE,
    pageToken,
    historyLength,
    statusTimestampAfter,
    includeArtifacts,
  }: ListTasksRequest,
): Promise<ListTasksResponse> => {
  const { RequestMalformedError } = asked.loaded.errors;
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > MOST_ON_PAGE)
    throw new RequestMalformedError(`Cannot list tasks as the size of a page is not 1 to ${MOST_ON_PAGE}`);
  const after = statusTimestampAfter === undefined ? -Infinity : Date.parse(statusTimestampAfter);
  if (Number.isNaN(after))
    throw new RequestMalformedError('Cannot list tasks as a time is not one of ISO 8601');
  const place = pageToken === '' ? undefined : placeIn(pageToken);
  if (pageToken !== '' && place === undefined)
    throw new RequestMalformedError('Cannot list tasks as there is no such page');
  const wanted = (await tasksOf(asked))
    .filter(({ task, updatedAt }) => {
      const isOfContext = contextId === '' || task.contextId === contextId;
      const isInState = status === 0 || task.status?.state === status;
      return isOfContext && isInState && updatedAt > after;
    })
    .toSorted((one, other) => other.updatedAt - one.updatedAt || (one.task.id < other.task.id ? -1 : 1));
  const start = place === undefined ? 0 : wanted.findIndex(({ task }) => task.id === place) + 1;
  if (place !== undefined && start === 0)
    throw new RequestMalformedError('Cannot list tasks as there is no such page any more');
  const page = wanted.slice(start, start + pageSize);
  const last = page.at(-1);
  const tasks = page.map(({ task }) => withHistory(task, historyLength));
  return {
    tasks: includeArtifacts === true ? tasks : tasks.map((task) => ({ ...task, artifacts: [] })),
    nextPageToken: last === undefined || start + pageSize >= wanted.length ? '' : tokenOf(last.task.id),
    pageSize,
    totalSize: wanted.length,
  };
};

interface Listed {
  readonly task: Task;
  /** In ms since 1970. */
  readonly updatedAt: number;
}

const tasksOf = async (asked: AgentRequest): Promise<readonly Listed[]> => {
  const { serving, agent, caller } = asked;
  const entries = await serving.finder.list(caller, MOST_LISTED);
  const own = entries.filter((entry: RemoteEntry) => entry.agent === agent.name);
  return Promise.all(
    own.map(async ({ runId }) => {
      const story = await readTask(asked, await serving.finder.find(runId, caller));
      return { task: await story.task(), updatedAt: story.updatedAt };
    }),
  );
};

/** A page begins after the last task of the one before: tasks that are added meanwhile do not shift it. */
const tokenOf = (taskId: string): string => `after:${taskId}`;

const placeIn = (token: string): string | undefined => /^after:(.+)$/.exec(token)?.[1];

/** A task with the last messages alone; undefined for all, 0 for none. */
export const withHistory = (task: Task, historyLength: number | undefined): Task => {
  if (historyLength === undefined) return task;
  return { ...task, history: historyLength <= 0 ? [] : task.history.slice(-historyLength) };
};
