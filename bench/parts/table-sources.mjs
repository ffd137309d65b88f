/** What `table.mjs` measures, from the sources. */

export { z } from 'zod';
export { agent, maxSteps, modelAnswer, tool } from '../../src/index.ts';
export * as outputs from '../../src/machines/outputs.ts';
export * as rules from '../../src/machines/rules.ts';
export { definitionOf } from '../../src/runtime/define/definition.ts';
export { DrivenHost } from '../../src/runtime/turn/driven-host.ts';
export { moverOf } from '../../src/runtime/turn/mover.ts';
export { startRun } from '../../src/runtime/run/start-run.ts';
