import type { Task } from '@a2a-js/sdk';
import type { Client, RequestOptions } from '@a2a-js/sdk/client';

/** Tasks of a page, and pages that are looked at: the last changed come first. */
const PAGE = 100;
const MOST_PAGES = 10;

/** Finds the task that a message began, among those that the other party lists; undefined if there is none. */
export const findTask = async (
  client: Client,
  messageId: string,
  options: RequestOptions,
): Promise<Task | undefined> => {
  let pageToken = '';
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { tasks, nextPageToken } = await client.listTasks(
      { tenant: '', contextId: '', status: 0, pageSize: PAGE, pageToken, statusTimestampAfter: undefined },
      options,
    );
    const found = tasks.find(({ history }) => history.some((each) => each.messageId === messageId));
    if (found !== undefined || nextPageToken === '') return found;
    pageToken = nextPageToken;
  }
  return undefined;
};
