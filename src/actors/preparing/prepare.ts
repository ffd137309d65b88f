import type { Part } from '../../contracts/content/part.ts';
import { contentText } from '../../contracts/content/part.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { effectKey } from '../../contracts/runs/effect.ts';
import { errorData } from '../../contracts/errors/error.ts';
import { andThen, isThenable, letGo } from '../../base/promises/thenable.ts';
import type { Checked } from '../../base/schemas/schema.ts';
import type { AgentContext, Prepared } from '../../machines/agent/agent-context.ts';
import { unpricedError } from '../deciding/call-cost.ts';
import { choiceProblem } from '../deciding/tool-choice.ts';
import { recordOfTask } from '../../memory/memories/records-of.ts';
import type { Desk } from '../desk.ts';
import type { KeptValue } from '../../tools/schemas/kept-value.ts';
import { checkHistory } from './check-history.ts';
import { openEnvironment } from './open-environment.ts';
import { taskPrompt } from './task-prompt.ts';
import { withinAgentTime } from '../within-agent-time.ts';

/** Validates task, environment, input, models and tools before the first step, and collects all problems. */
export const prepare = (context: AgentContext, desk: Desk): Prepared | Promise<Prepared> => {
  const checked = desk.definition.checkInput(context.input);
  const opening = openEnvironment(desk);
  const settingUp = desk.tools.needsSetup ? desk.tools.setup() : [];
  const history = checkHistory(context.history, desk.definition.name);
  const pricing = openPrices(desk);
  if (isThenable(checked) || isThenable(settingUp) || isThenable(opening) || pricing !== undefined)
    return andThen(
      withinAgentTime(Promise.all([checked, opening, settingUp, pricing]), 'setup', desk),
      ([input, unfit, problems]) =>
        rememberTask(
          placeProblems(prepareWith(input, [...history, ...unfit, ...problems], desk), context),
          context,
          desk,
        ),
    );
  return rememberTask(
    placeProblems(prepareWith(checked, [...history, ...opening, ...settingUp], desk), context),
    context,
    desk,
  );
};

/** Writes the task to the agent's memory, as its first record. */
const rememberTask = (found: Prepared, context: AgentContext, desk: Desk): Prepared => {
  const { memory, clock, definition } = desk;
  if (memory === undefined) return found;
  const isReady = found.problems.length === 0;
  memory.input = isReady ? found.input : context.input;
  const where = { runId: context.run.runId, agent: definition.name, at: clock.now() };
  if (isReady) desk.remember([recordOfTask(found.prompt, where)], 1);
  return found;
};

/** A model that cannot be created is reported below. */
const openPrices = (desk: Desk): Promise<void> | undefined => {
  try {
    return desk.openPrices();
  } catch {
    return undefined;
  }
};

const NO_USAGE = { input: 0, output: 0 };

/** Adds the agent's address to problems. */
const placeProblems = (found: Prepared, { run: { runId, path } }: AgentContext): Prepared => {
  if (found.problems.length === 0) return found;
  const place = { runId, path, step: 0, phase: 'preparing', operation: 'prepare' };
  const problems = found.problems.map((problem, index) => ({
    ...problem,
    ...place,
    errorId: effectKey({ ...place, index, attempt: 1 }),
  }));
  return { ...found, problems };
};

const prepareWith = (
  checked: Checked<KeptValue>,
  toolProblems: readonly ErrorData[],
  desk: Desk,
): Prepared => {
  const { definition } = desk;
  const forced = choiceProblem(desk);
  const problems = [...toolProblems, ...(forced === undefined ? [] : [forced])];
  let models = 0;
  try {
    models = desk.models.length;
    if (desk.account?.refusesUnpriced === true)
      for (const model of desk.models)
        if (desk.costOf(model, NO_USAGE) === undefined) problems.push(unpricedError(model).data);
  } catch (thrown) {
    problems.push(errorData(thrown, 'model.unknown'));
  }
  if (!checked.ok) {
    const found = checked.issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    const message = `Cannot run '${definition.name}' as its input does not fit its schema: ${found.join('; ')}`;
    problems.push({ code: 'input.invalid', message, retryable: 'no' });
    return { problems, input: null, prompt: '', models };
  }
  try {
    const prompt: unknown = definition.prompt(checked.value.value);
    const input = checked.value.kept;
    if (typeof prompt === 'string') return { problems, input, prompt: withTask(prompt, desk), models };
    if (Array.isArray(prompt)) {
      const parts = withTaskPart(desk.content.take(prompt), desk);
      const hasMore = parts.some(({ type }) => type !== 'text');
      return { problems, input, prompt: contentText(parts), ...(hasMore ? { parts } : {}), models };
    }
    letGo(prompt);
    throw new TypeError(`it gave no text: ${isThenable(prompt) ? 'a promise' : typeof prompt}`);
  } catch (thrown) {
    const message = `Cannot run '${definition.name}' as its prompt threw`;
    return {
      problems: [...problems, errorData(thrown, 'agent.threw', { message })],
      input: null,
      prompt: '',
      models,
    };
  }
};

/** The first message: the run's task, then the agent's own input. */
const withTask = (prompt: string, { task }: Desk): string =>
  task?.task === undefined ? prompt : taskPrompt(task.task, prompt);

const withTaskPart = (parts: readonly Part[], desk: Desk): readonly Part[] => {
  const text = withTask('', desk);
  return text === '' ? parts : [{ type: 'text', text }, ...parts];
};
