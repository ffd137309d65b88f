import type { Reporter, TestModule } from 'vitest/node';
import { missingFixtures } from './fixtures-missing.ts';

/** Says at the end how much was not tested because the recorded fixtures are not on this machine. */
export default class FixturesReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules
      .flatMap((module) => [...module.children.allTests('skipped')])
      .filter((test) => test.name.startsWith(missingFixtures));
    if (skipped.length === 0) return;
    const groups = skipped.length === 1 ? '1 group of tests' : `${skipped.length} groups of tests`;
    console.log(`\n${groups} ${missingFixtures}. Set TROUPE_FIXTURES to the folder that has them:`);
    for (const test of skipped) console.log(`  ${test.fullName.replace(`${missingFixtures}: `, '')}`);
  }
}
