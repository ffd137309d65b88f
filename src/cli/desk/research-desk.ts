import type { Budget } from '../../contracts/runs/budget.ts';
import type { MemorySource } from '../../contracts/conversations/memory.ts';
import type { Toolset } from '../../contracts/tools/tool.ts';
import type { EmbeddableAgent } from '../../runtime/define/embeddable-agent.ts';
import { windowMemory } from '../../memory/memories/window-memory.ts';
import { pipeline } from '../../patterns/pipeline.ts';
import { race } from '../../patterns/race.ts';
import { supervisorWorker } from '../../patterns/supervisor-worker.ts';
import { briefFrom } from './brief.ts';
import type { DeskModels } from './desk-models.ts';
import { researcher } from './researcher.ts';
import { writer } from './writer.ts';

const SUPERVISOR_INSTRUCTIONS = `
You lead a research desk. Take the request apart into questions that can be researched independently of each other: as few as it needs, often one.
A worker sees nothing but the task that you write, so make each a complete question that can be understood by itself. Do not answer anything yourself.
`.trim();

/** Parameters of a research desk. */
export interface ResearchDeskSetup {
  /** Tools that search documents and print passages below their citations, as `documents()` makes them. */
  readonly documents: Toolset;
  readonly models?: DeskModels | undefined;
  /** Limits of one question, overriding those of {@link deskBudget} by kind. */
  readonly budget?: Budget | undefined;
  /** Memory of earlier answers. Default: in this process. */
  readonly memory?: MemorySource | undefined;
}

/** Far more than a question needs: a desk that uses as much has lost its way. */
const deskBudget: Budget = { steps: 200, toolCalls: 300, tokens: 2_000_000 };

/** Time after which a second attempt is started: a model this slow is likely to take far longer. */
const HEDGE_AFTER_MS = 45_000;

/** A researcher, and a second one for when the first takes long or fails; most questions never see the second. */
const hedgedResearcher = (documents: Toolset, model: DeskModels['researcher']) =>
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
 * A team that answers a question from documents: a supervisor splits it up, researchers search (a second one takes over
 * from one that fails or is slow), a writer answers with citations, and a critic sends the answer back, twice at most,
 * while a sentence is not grounded in its citation.
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
    limits: { budget: { ...deskBudget, ...budget } },
    stages: [
      supervisorWorker({
        name: 'research',
        description: 'Finds the passages that answer a question.',
        supervisor: { instructions: SUPERVISOR_INSTRUCTIONS, model: models.supervisor },
        workers: { researcher: hedgedResearcher(documents, models.researcher) },
        result: 'replies',
      }),
      { agent: writer(models.writer, models.critic, memory), map: briefFrom },
    ],
  });
