import type { Backend, BackendChoice } from '../../contracts/backend.ts';
import { messageOf, TroupeError } from '../../contracts/error.ts';
import { onDemand } from '../../contracts/on-demand.ts';
import { routing } from './routing.ts';

/** The default backend: models and tools in a loop. */
const reasonAct: Backend = { name: 'reason-act' };

const registered = onDemand(
  () => new Map<string, Backend>([reasonAct, routing()].map((backend) => [backend.name, backend])),
);

/**
 * Registers a backend by its name, for all agents defined from then on.
 *
 * @example
 * registerBackend(passthrough({ name: 'claude', engine }));
 * agent({ name: 'coder', backend: 'claude' });
 *
 * @throws {TroupeError} `agent.invalid` for something that is no backend, `agent.duplicate` for a name that another one has.
 */
export const registerBackend = (backend: Backend): void => {
  const checked = assertBackend(backend);
  const known = registered().get(checked.name);
  if (known !== undefined && known !== checked)
    throw new TroupeError(
      'agent.duplicate',
      `Cannot register the backend '${checked.name}' as another one is called that: there are ${backendNames().join(', ')}`,
    );
  registered().set(checked.name, checked);
};

/** Names that an agent's `backend` option accepts. */
export const backendNames = (): readonly string[] => [...registered().keys()];

/**
 * Resolves the backend of an agent.
 *
 * @throws {TroupeError} `agent.invalid` for a name that nobody has, with those that there are.
 */
export const backendOf = (choice: BackendChoice | undefined, agent: string): Backend => {
  if (choice === undefined) return reasonAct;
  if (typeof choice !== 'string') return assertBackend(choice);
  const backend = registered().get(choice);
  if (backend !== undefined) return backend;
  const hint =
    choice === 'passthrough' ? ': make one for your engine with passthrough({ name, engine })' : '';
  throw new TroupeError(
    'agent.invalid',
    `Cannot define the agent '${agent}' as no backend is called '${choice}'${hint}; there are ${backendNames().join(', ')}`,
  );
};

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

// JavaScript callers may pass anything.
const assertBackend = (backend: Backend): Backend => {
  const given: unknown = backend;
  const found = typeof given === 'object' && given !== null ? given : {};
  const problems = [
    !NAME.test('name' in found ? String(found.name) : '') && 'it has no name of letters, digits, - and _',
    'engine' in found &&
      found.engine !== undefined &&
      typeof found.engine !== 'function' &&
      'its engine is no function of a place',
    'answer' in found && typeof found.answer !== 'object' && 'its answer is no object',
  ].filter((problem) => problem !== false);
  if (problems.length === 0) return backend;
  throw new TroupeError(
    'agent.invalid',
    `Cannot use a backend as ${problems.join('; and as ')}: ${messageOf(given)}`,
  );
};
