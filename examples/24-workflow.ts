// A workflow: agents and functions as nodes of a graph. It can be drawn, run, stored and nested like any agent.
//
//   npx tsx examples/24-workflow.ts
//
// When not to use it: a straight line of agents (pipeline), or a model should decide the next step (plannerExecutor).
// Its chart is drawn from its nodes: `report.diagram()`
import assert from 'node:assert/strict';
import { agent } from 'troupe';
import { text, workflow } from 'troupe/patterns';
import { scriptedModel } from 'troupe/testing';

const researcher = agent({
  name: 'researcher',
  model: scriptedModel([
    'The moon pulls the sea. The sun helps. The shape of a bay decides how high it comes.',
  ]),
});
const writer = agent({
  name: 'writer',
  model: scriptedModel([({ messages }) => `Dear reader: ${messages.at(-1)?.text}`]),
});
const artist = agent({
  name: 'artist',
  failures: { retry: { attempts: 1 } },
  model: scriptedModel([new Error('no more paint')]),
});

const report = workflow({ name: 'report' })
  .node('search', researcher)
  // Once for each item of a list, in parallel.
  .node('split', (found: string) => found.split('. '), { after: 'search' })
  .map('count', (sentence: string) => sentence.split(' ').length, { over: ({ split }) => split })
  .node('sum', (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0), {
    after: 'count',
  })
  // Optional: the report works without a picture, too.
  .node('draw', artist, { input: ({ search }) => search, optional: 'skip', retry: 0 })
  // An input names the outputs that it needs: the edges of the graph. A wrong name or type does not compile.
  .node('write', writer, { input: ({ input, sum, search }) => text`On ${input}, in ${sum} words: ${search}` })
  // Runs only if its condition holds.
  .node('shorten', (draft: string) => `${draft.slice(0, 60)}…`, {
    after: 'write',
    condition: ({ write = '' }) => write.length > 60,
  })
  .output('shorten')
  .build();

const { output, state } = await report.run('tides');
console.log(output);
for (const [node, { status, reason }] of Object.entries(state.nodes))
  console.log(`${node}: ${status}`, reason ?? '');

assert.match(output ?? '', /^Dear reader: On tides, in 18 words: /);
assert.equal(state.nodes.draw.status, 'failed');
assert.match(report.diagram(), /write/);
