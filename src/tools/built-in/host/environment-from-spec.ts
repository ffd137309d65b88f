import * as z from 'zod';
import type { Environment } from '../../../contracts/environments/environment.ts';
import type { EnvironmentSpec } from '../../../contracts/environments/environment-spec.ts';
import { messageOf } from '../../../contracts/errors/error.ts';
import type { PreflightIssue } from '../../../contracts/tasks/task.ts';
import { memoryEnvironment } from '../../environments/memory-environment.ts';
import { remoteEnvironment } from '../../environments/remote-environment.ts';
import { containerEnvironment } from '../container/container-environment.ts';
import { commandEnvironment } from './command-environment.ts';
import { hostEnvironment } from './host-environment.ts';

/** Makes an environment from a task's specification; throws if that is invalid. */
export type EnvironmentMaker = (spec: EnvironmentSpec) => Environment;

/** Makers of environments, by the type that a task names. */
export type EnvironmentMakers = Readonly<Record<string, EnvironmentMaker>>;

const hostSpec = z.strictObject({
  type: z.string(),
  root: z.string().min(1),
  commands: z.record(z.string(), z.string()).optional(),
});

const containerSpec = z.strictObject({
  type: z.string(),
  container: z.string().regex(/^[A-Za-z0-9][\w.-]*$/),
  root: z.string().min(1),
  program: z.enum(['docker', 'podman']).default('docker'),
});

const imageSpec = z.strictObject({
  type: z.string(),
  image: z.string(),
  program: z.enum(['docker', 'podman']).default('docker'),
});

const remoteSpec = z.strictObject({ type: z.string(), url: z.url({ protocol: /^https?$/ }) });

const memorySpec = z.strictObject({
  type: z.string(),
  files: z.record(z.string(), z.string()).optional(),
});

const host: EnvironmentMaker = (spec) => hostEnvironment(hostSpec.parse(spec));

/** A running container by its name, or a new one of an image. */
const container: EnvironmentMaker = (spec) => {
  if ('image' in spec) {
    const { image, program: engine } = imageSpec.parse(spec);
    return containerEnvironment({ image, engine });
  }
  const { container: box, root, program } = containerSpec.parse(spec);
  return commandEnvironment({ prefix: [program, 'exec', '-i', box], root, name: box });
};

/** See {@link environmentFrom}. */
const environmentMakers: EnvironmentMakers = {
  host,
  local: host,
  repo: host,
  container,
  docker: container,
  remote: (spec) => remoteEnvironment({ url: remoteSpec.parse(spec).url }),
  memory: (spec) => memoryEnvironment({ files: memorySpec.parse(spec).files }),
};

/**
 * Makes the environment that a task names, or returns the reason why it cannot. Never throws.
 *
 * By default a task may name `host` (also `local`, `repo`), `container` (also `docker`), `remote` and `memory`, and with these any
 * folder: pass a list of your own if tasks are not trusted.
 */
export const environmentFrom = (
  spec: EnvironmentSpec,
  makers: EnvironmentMakers = environmentMakers,
): { readonly environment: Environment | undefined; readonly issues: readonly PreflightIssue[] } => {
  const maker = Object.hasOwn(makers, spec.type) ? makers[spec.type] : undefined;
  const refused = (reason: string) => {
    const message = `Cannot make the environment of the task as ${reason}`;
    return {
      environment: undefined,
      issues: [{ code: 'task.environment', field: 'environment', message }],
    } as const;
  };
  if (maker === undefined)
    return refused(`its type is not one of ${Object.keys(makers).join(', ')}: '${spec.type}'`);
  try {
    return { environment: maker(spec), issues: [] };
  } catch (thrown) {
    if (!(thrown instanceof z.ZodError)) return refused(messageOf(thrown));
    return refused(thrown.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  }
};
