import type { Budget } from '../../contracts/budget.ts';
import type { MemorySource } from '../../contracts/memory.ts';
import type { Toolset } from '../../contracts/tool.ts';
import type { EmbeddableAgent } from '../../runtime/define/face.ts';
import { windowMemory } from '../../memory/window-memory.ts';
import { pipeline } from '../../runtime/patterns/pipeline.ts';
import { race } from '../../runtime/patterns/race.ts';
import { supervisorWorker } from '../../runtime/patterns/supervisor-worker.ts';
import { briefFrom } from './brief.ts';
import type { DeskModels } from './desk-models.ts';
import { researcher } from './researcher.ts';
import { writer } from './writer.ts';

const SUPERVISOR_INSTRUCTIONS = `
You lead a research desk. Take the request apart into questions that can be researched independently of each other: as few as it needs, often one.
A worker sees nothing but the task that you write, so make each a complete question that can be understood by itself. Do not answer anything yourself.
`.trim();

/** What a research desk is made of. */
export interface ResearchDeskSetup {
  /** Tools that search documents and print passages below their citations, as `documents()` makes them. */
  readonly documents: Toolset;
  readonly models?: DeskModels | undefined;
  /** The most that one question may use, beside {@link deskBudget}: kinds given here take the place of its own. */
  readonly budget?: Budget | undefined;
  /** Where earlier answers are remembered. Default: in this process. */
  readonly memory?: MemorySource | undefined;
}

/** Far more than a question needs: a desk that uses as much has lost its way. */
const deskBudget: Budget = { steps: 200, toolCalls: 300, tokens: 2_000_000 };

/** A model that takes longer is likely to take far longer: a second one may be done before it. */
const HEDGE_AFTER_MS = 45_000;

/** A researcher, and a second one for when the first takes long or fails; most questions never see the second. */
const hedged = (documents: Toolset, model: DeskModels['researcher']) =>
  race({
    name: 'search',
    description: 'Finds passages of the documents that answer a question.',
    members: {
      researcher: researcher(documents, model),
      second: researcher(documents, model, 'second-researcher'),
    },
    hedgeAfterMs: HEDGE_AFTER_MS,
  });

/**
 * A team that answers a question from documents: a supervisor takes it apart, researchers search (a second one takes over from one that
 * fails or takes long), a writer answers with
 * citations, and a critic sends the answer back, twice at most, while a sentence is not grounded in what it cites.
 *
 * @example
 * const desk = researchDesk({ documents: documents('./handbook') });
 * const { output } = await desk.run('How many days of leave are there?');
 */
export const researchDesk = ({
  documents,
  models = {},
  budget = {},
  memory = windowMemory(),
}: ResearchDeskSetup): EmbeddableAgent<string, string> =>
  pipeline({
    name: 'desk',
    description: 'Answers a question from documents, with citations.',
    budget: { ...deskBudget, ...budget },
    stages: [
      supervisorWorker({
        name: 'research',
        description: 'Finds the passages that answer a question.',
        supervisor: { instructions: SUPERVISOR_INSTRUCTIONS, model: models.supervisor },
        workers: { researcher: hedged(documents, models.researcher) },
        result: 'replies',
      }),
      { agent: writer(models.writer, models.critic, memory), map: briefFrom },
    ],
  });
