import { capabilityScenarios } from './capability-scenarios.ts';
import { outsideScenarios } from './outside-scenarios.ts';
import type { Scenario } from './scenarios.ts';
import { scenarios } from './scenarios.ts';
import { supervisionScenarios } from './supervision-scenarios.ts';

/** All that has to mean the same live, driven and stored; one file for each part of the house. */
export const allScenarios: readonly Scenario[] = [
  ...scenarios,
  ...capabilityScenarios,
  ...outsideScenarios,
  ...supervisionScenarios,
];
