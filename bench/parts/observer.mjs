/** Worker: a million events past an observer that takes 1 ms for each: what the memory grows by, and what the others notice. */
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tell, words } from '../measure.mjs';

const { events = '1000000' } = words();
const { multiplex } = await import(pathToFileURL(join(process.env.TROUPE_DIST, 'index.js')).href);
const { Subject } = await import('rxjs');
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const megabytes = () => {
  collect();
  return process.memoryUsage().heapUsed / 2 ** 20;
};

const feed = new Subject();
let fast = 0;
const watching = multiplex(feed, [
  { name: 'slow', consume: () => wait(1) },
  { name: 'fast', consume: () => void (fast += 1) },
]);
const before = megabytes();
let most = before;
const from = performance.now();
const count = Number(events);
for (let index = 0; index < count; index += 1) {
  const delta = { type: 'text', text: `piece ${index}` };
  feed.next({
    v: 1,
    type: 'model.delta',
    at: index,
    runId: 'r',
    path: 'desk',
    agent: 'desk',
    key: 'k',
    delta,
  });
  if (index % 100 === 99) await turn();
  if (index % 50_000 === 49_999) most = Math.max(most, megabytes());
}
const wallMs = performance.now() - from;
const [slow] = watching.stats;
const isRight = fast === count && slow.handled + slow.dropped + slow.waiting === count;
watching.close();
tell({
  events: count,
  growthMb: most - before,
  wallMs,
  handled: slow.handled,
  dropped: slow.dropped,
  isRight,
});
