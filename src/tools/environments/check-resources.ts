import type { FileFacts, FileOps } from '../../contracts/environments/operations.ts';
import { messageOf } from '../../contracts/errors/error.ts';
import type { IssueCode, PreflightIssue, Task, TaskResource } from '../../contracts/tasks/task.ts';
import { shownPath, pathNames } from './clean-path.ts';

/**
 * Checks whether the files and folders of a task exist, and are writable where the task writes them.
 *
 * URLs and artifacts are not checked: they fail on use.
 */
export const checkResources = async (
  { resources }: Task,
  files: FileOps,
): Promise<readonly PreflightIssue[]> => {
  const found = await Promise.all(
    resources.map(async (resource, index) => {
      const field = `resources.${index}.locator`;
      try {
        const code = await problemOf(resource, files);
        return code === undefined ? [] : [{ code, field, message: messages[code](resource.locator) }];
      } catch (thrown) {
        const message = `Cannot check '${resource.locator}': ${messageOf(thrown)}`;
        return [{ code: 'task.threw' as const, field, message }];
      }
    }),
  );
  return found.flat();
};

type ResourceCode = Extract<
  IssueCode,
  'resource.missing' | 'resource.kind' | 'resource.not-writable' | 'resource.parent-not-writable'
>;

const messages: Readonly<Record<ResourceCode, (locator: string) => string>> = {
  'resource.missing': (locator) => `Cannot start the task as a resource is missing: '${locator}'`,
  'resource.kind': (locator) => `Cannot start the task as a resource is of another kind: '${locator}'`,
  'resource.not-writable': (locator) => `Cannot start the task as a resource cannot be written: '${locator}'`,
  'resource.parent-not-writable': (locator) =>
    `Cannot start the task as the parent folder of a resource cannot be written: '${locator}'`,
};

const problemOf = async (resource: TaskResource, files: FileOps): Promise<ResourceCode | undefined> => {
  const { kind, locator, access, required } = resource;
  if (kind !== 'file' && kind !== 'folder') return undefined;
  const found = await files.stat(locator);
  if (found !== undefined) {
    if (found.kind !== kind) return 'resource.kind';
    return access === 'write' && !found.isWritable ? 'resource.not-writable' : undefined;
  }
  if (access === 'read') return required ? 'resource.missing' : undefined;
  const above = await nearestAbove(pathNames(locator), files);
  return above?.kind === 'folder' && above.isWritable ? undefined : 'resource.parent-not-writable';
};

/** The folder in which the first missing one of a path would be made. */
const nearestAbove = async (names: readonly string[], files: FileOps): Promise<FileFacts | undefined> => {
  for (let length = names.length - 1; length >= 0; length -= 1) {
    const found = await files.stat(shownPath(names.slice(0, length)));
    if (found !== undefined) return found;
  }
  return undefined;
};
