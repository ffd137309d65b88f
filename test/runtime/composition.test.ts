import { describe, expect, test } from 'vitest';
import { agent, answer, delegate, tool } from 'troupe';
import {
  blackboard,
  consensus,
  contractNet,
  debate,
  ensemble,
  groupChat,
  handoffs,
  jury,
  orchestrator,
  parallel,
  pipeline,
  plannerExecutor,
  race,
  router,
  saga,
  supervisorWorker,
  workflow,
  writerCritic,
} from 'troupe/patterns';
import { z } from 'zod';
import { compositionSvg } from '../../src/inspect/drawing/composition-svg.ts';
import { compositionOf } from '../../src/runtime/define/composition.ts';
import { definitionOf } from '../../src/runtime/define/definition.ts';
import type { Definition } from '../../src/runtime/define/definition.ts';

interface Drawable {
  diagram(options?: { of?: 'chart' | 'composition' }): string;
}

const echo = (name: string) => agent({ name, decide: ({ input }) => answer(String(input)) });
const [ann, bob, cleo] = [echo('ann'), echo('bob'), echo('cleo')];
const two = { ann, bob };
const name = 'team';

const definition = (of: object): Definition => {
  const found = definitionOf(of);
  if (found === undefined) throw new Error('no agent');
  return found;
};

const composition = (of: Drawable): string => of.diagram({ of: 'composition' });

/** The arrows of a composition, as they are drawn. */
const arrowsIn = (of: Drawable): readonly string[] =>
  composition(of)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^\w+ <?-->/.test(line));

/** How each pattern hands work on, as its composition has it. */
const flows: Readonly<Record<string, readonly [team: Drawable, arrows: readonly string[]]>> = {
  pipeline: [
    pipeline({ name, stages: [ann, bob, cleo] }),
    ['input --> ann', 'ann --> bob', 'bob --> cleo', 'cleo --> output'],
  ],
  'pipeline with a stand-in': [
    pipeline({
      name,
      stages: [{ agent: ann, onError: { agent: cleo } }, { agent: bob, onError: 'continue' }, ann],
    }),
    [
      'input --> ann',
      'ann <-->|"also if it fails"| bob',
      'ann -->|"if it fails"| cleo',
      'cleo --> bob',
      'ann --> output',
    ],
  ],
  parallel: [
    parallel({ name, members: two, quorum: 1 }),
    ['input --> ann', 'input --> bob', 'ann -->|"the first 1"| output', 'bob -->|"the first 1"| output'],
  ],
  'parallel with an aggregator': [
    parallel({ name, each: ann, aggregator: {} }),
    ['input -->|"each item"| ann', 'ann --> aggregator', 'aggregator --> output'],
  ],
  race: [
    race({ name, members: two, hedgeAfterMs: 50 }),
    [
      'input --> ann',
      'input -->|"after 50 ms, or a failure"| bob',
      'ann -->|"the first"| output',
      'bob -->|"the first"| output',
    ],
  ],
  supervisorWorker: [
    supervisorWorker({ name, supervisor: {}, workers: two }),
    [
      'input --> supervisor',
      'supervisor <-->|"assigns / replies"| ann',
      'supervisor <-->|"assigns / replies"| bob',
      'supervisor --> output',
    ],
  ],
  'supervisorWorker with a reviewer': [
    supervisorWorker({ name, supervisor: {}, reviewer: {}, workers: { ann }, result: 'replies' }),
    [
      'input --> supervisor',
      'supervisor <-->|"assigns / replies"| ann',
      'ann <-->|"work / sends back"| reviewer',
      'ann --> output',
    ],
  ],
  debate: [
    debate({ name, debaters: { ann, bob }, rounds: 2, judge: {} }),
    [
      'input --> ann',
      'ann <-->|"2 rounds"| bob',
      'ann -->|"all that was said"| judge',
      'bob -->|"all that was said"| judge',
      'judge --> output',
    ],
  ],
  consensus: [
    consensus({ name, voters: two, maxRounds: 3, summariser: {} }),
    [
      'input --> ann',
      'input --> bob',
      'ann <-->|"majority / up to 3 rounds"| the_count',
      'bob <-->|"majority / up to 3 rounds"| the_count',
      'the_count --> summariser',
      'summariser --> output',
    ],
  ],
  jury: [
    jury({ name, voters: { ann }, maxRounds: 1, rule: 'unanimous' }),
    ['input --> ann', 'ann -->|"unanimous"| the_count', 'the_count --> output'],
  ],
  ensemble: [
    ensemble({ name, proposers: two, aggregator: {} }),
    [
      'input --> ann',
      'input --> bob',
      'ann -->|"proposals"| aggregator',
      'bob -->|"proposals"| aggregator',
      'aggregator --> output',
    ],
  ],
  'ensemble of layers': [
    ensemble({ name, proposers: two, aggregator: {}, layers: 2 }),
    [
      'input --> ann',
      'input --> bob',
      'ann <-->|"2 layers"| the_proposals',
      'bob <-->|"2 layers"| the_proposals',
      'the_proposals --> aggregator',
      'aggregator --> output',
    ],
  ],
  router: [
    router({ name, members: two }),
    [
      'input --> chooser',
      'chooser -->|"one of them"| ann',
      'chooser -->|"one of them"| bob',
      'ann --> output',
      'bob --> output',
    ],
  ],
  'router by chance': [
    router({ name, members: { ann }, strategy: 'random' }),
    ['input --> the_choice__random', 'the_choice__random -->|"one of them"| ann', 'ann --> output'],
  ],
  handoffs: [
    handoffs({ name, members: two, first: 'bob' }),
    [
      'input --> bob',
      'ann <-->|"hands over"| a_handoff',
      'bob <-->|"hands over"| a_handoff',
      'ann --> output',
      'bob --> output',
    ],
  ],
  writerCritic: [
    writerCritic({ name, writer: ann, critic: bob, maxRejections: 4 }),
    ['input --> ann', 'ann <-->|"a draft / sends back, up to 4 times"| bob', 'bob -->|"accepted"| output'],
  ],
  plannerExecutor: [
    plannerExecutor({ name, planner: {}, executors: { ann } }),
    ['input --> planner', 'planner <-->|"steps / their results"| ann', 'planner --> output'],
  ],
  contractNet: [
    contractNet({ name, contractors: { ann, bob: { agent: bob, bidder: cleo } } }),
    [
      'input --> the_call_for_bids',
      'the_call_for_bids --> ann',
      'the_call_for_bids --> bob_bidder',
      'ann <-->|"bids / to the best"| the_award',
      'bob_bidder -->|"bids"| the_award',
      'the_award -->|"to the best"| bob',
      'ann --> output',
      'bob --> output',
    ],
  ],
  blackboard: [
    blackboard({ name, specialists: { ann }, controller: {} }),
    [
      'input --> the_board',
      'the_board -->|"is read"| controller',
      'controller -->|"who is next"| ann',
      'the_board <-->|"is read / findings"| ann',
      'controller --> output',
    ],
  ],
  groupChat: [
    groupChat({ name, members: two }),
    [
      'input --> in_turns',
      'in_turns <-->|"the word / what is said"| ann',
      'in_turns <-->|"the word / what is said"| bob',
      'in_turns --> output',
    ],
  ],
  orchestrator: [
    orchestrator({ name, members: { ann }, orchestrator: {} }),
    [
      'input --> orchestrator',
      'orchestrator <-->|"who goes on / their turns"| ann',
      'orchestrator --> output',
    ],
  ],
  saga: [
    saga({ name, steps: { book: { does: ann, undoes: bob }, pay: { does: cleo } } }),
    ['input --> book', 'book --> pay', 'pay -->|"if it fails"| undo_book', 'pay --> output'],
  ],
};

describe('[FIND-38] the composition of a team', () => {
  test.each(Object.entries(flows))('of %s shows how work flows', (_, [team, arrows]) => {
    expect(arrowsIn(team)).toEqual(arrows);
  });

  test('tells two teams of one pattern apart, which have one chart', () => {
    const [one, other] = [pipeline({ name, stages: [ann, bob] }), pipeline({ name, stages: [bob, cleo] })];
    expect(one.diagram()).toBe(other.diagram());
    expect(composition(one)).not.toBe(composition(other));
  });

  const search = tool({
    name: 'search',
    description: 'Searches.',
    safety: 'read',
    input: z.object({}),
    execute: () => '',
  });
  const clerk = agent({
    name: 'clerk',
    description: 'Files "things".',
    tools: [search, delegate({ to: [bob] })],
  });

  test('shows what members are called, their tools, and the teams within it', () => {
    const finder = agent({ name: 'finder', tools: [search] });
    const inner = pipeline({ name: 'desk', stages: [finder, bob] });
    expect(
      composition(parallel({ name, description: 'Both.', members: { desk: inner, other: finder } })),
    ).toBe(
      `flowchart TB
  %% team: Both.
  input(["input"])
  subgraph desk["desk"]
    direction TB
    desk_input(["input"])
    desk_finder["finder<br/>search"]
    desk_bob["bob"]
    desk_output(["output"])
    desk_input --> desk_finder
    desk_finder --> desk_bob
    desk_bob --> desk_output
  end
  other["other<br/>finder<br/>search"]
  output(["output"])
  input --> desk
  input --> other
  desk --> output
  other --> output
`,
    );
  });

  test('of an agent shows its tools, what they change, and whom they give work to', () => {
    const buy = tool({
      name: 'buy',
      description: 'Buys.',
      safety: 'write',
      input: z.object({}),
      execute: () => '',
    });
    const buyer = agent({ name: 'buyer', tools: [search, buy, delegate({ to: [clerk] })] });
    expect(composition(buyer)).toContain('  search("search")\n  buy("buy<br/>write")\n');
    expect(composition(buyer)).toContain('subgraph clerk["clerk"]\n');
    expect(arrowsIn(buyer)).toEqual(
      [
        'input --> buyer',
        'buyer --> search',
        'buyer --> buy',
        'buyer --> delegate',
        'clerk_input --> clerk_clerk',
        'clerk_clerk --> clerk_search',
        'clerk_clerk --> clerk_delegate',
        'clerk_delegate --> clerk_bob',
        'clerk_clerk --> clerk_output',
        'delegate --> clerk',
        'buyer --> output',
      ].toSorted((one, other) => Number(other.startsWith('clerk')) - Number(one.startsWith('clerk'))),
    );
  });

  test('puts a long row into one box, in rows, with one arrow for all of them', () => {
    const names = Array.from({ length: 12 }, (_, index) => `m${index}`);
    const wide = parallel({ name, members: Object.fromEntries(names.map((each) => [each, ann])) });
    expect(arrowsIn(wide)).toEqual(['input --> group', 'group --> output']);
    const rows = composition(wide)
      .split('\n')
      .filter((line) => line.includes('~~~'));
    expect(rows.map((line) => line.trim())).toEqual(
      names.slice(4).map((each, index) => `group_m${index} ~~~ group_${each}`),
    );
    const [, width] = /viewBox="0 0 ([\d.]+)/.exec(compositionSvg(compositionOf(definition(wide)))) ?? [];
    expect(Number(width)).toBeLessThan(500);
  });

  test('writes no name of Mermaid as an id, and ends no label early', () => {
    const end = agent({ name: 'end', description: 'Says "<b>".\nTwice' });
    const text = composition(
      pipeline({ name, description: 'In "two"\nlines <b>', stages: [end, echo('graph')] }),
    );
    expect(text).toContain('%% team: In "two" lines <b>\n');
    expect(text).toContain('end_["end"]');
    expect(text).toContain('end_ --> graph_');
  });

  test('is drawn as an SVG that stands alone, with all of it', () => {
    const inner = pipeline({ name: 'desk', stages: [clerk, bob] });
    const team = supervisorWorker({ name, supervisor: {}, workers: { desk: inner, ann } });
    const svg = compositionSvg(compositionOf(definition(team)));
    for (const word of [
      'supervisor',
      'desk',
      'ann',
      'clerk',
      'search',
      'bob',
      'assigns / replies',
      'Files &quot;things&quot;.',
    ])
      expect(svg).toContain(word);
    expect(svg).not.toMatch(/<script|href=|url\(|NaN|undefined/);
    expect(svg.match(/class="head"/g)?.length).toBe(14);
  });

  test('a diagram of something else is refused', () => {
    const of = JSON.parse('"people"') as 'chart';
    expect(() => ann.diagram({ of })).toThrow(/neither 'chart' nor 'composition': found 'people'/);
  });
});

describe('[FIND-74] a workflow', () => {
  const flow = workflow({ name: 'report', description: 'A report.', input: 'topics: string[]' })
    .node('search', ann)
    .map('read', bob, { over: (read) => read.input.topics, after: 'search' })
    .node('note', () => 1, { after: 'search', optional: true })
    .node('write', pipeline({ name: 'writing', stages: [ann, cleo] }), {
      after: ['read', 'note'],
      held: true,
    })
    .edge('search', 'write', { when: () => true })
    .output('write')
    .build();

  test('draws as its graph: nodes, with edges between them', () => {
    expect(flow.diagram()).toBe(composition(flow));
    expect(arrowsIn(flow).filter((line) => !line.startsWith('write_'))).toEqual([
      'input --> search',
      'search --> read',
      'search --> note',
      'read --> write',
      'note --> write',
      'search -->|"if its condition holds"| write',
      'write --> output',
    ]);
    expect(flow.diagram()).toContain('read["read<br/>bob<br/>for each item"]');
    expect(flow.diagram()).toContain('note["note<br/>optional"]');
    expect(flow.diagram()).toContain('subgraph write["write<br/>writing<br/>held until released"]');
  });

  test('shows the life cycle of each node where its chart is asked for', () => {
    expect(flow.diagram({ of: 'chart' })).toContain('stateDiagram-v2');
    expect(flow.diagram({ of: 'chart' })).toContain('search: A node.');
  });

  test('of no one output gives what its last nodes give', () => {
    const all = workflow({ name: 'all' })
      .node('one', ann)
      .node('two', bob, { after: 'one' })
      .node('three', cleo, { after: 'one' })
      .edge('two', 'three', 'co-start')
      .build();
    expect(arrowsIn(all)).toEqual([
      'input --> one',
      'one --> two',
      'one --> three',
      'two -->|"not before it"| three',
      'three --> output',
    ]);
  });
});
