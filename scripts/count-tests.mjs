/**
 * Adds up the test reports that the gate left and prints one line: `N passed, N failed, N skipped`.
 * Plain JavaScript without dependencies, so that it also counts where nothing could be installed.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const folder = resolve(import.meta.dirname, '../.tmp/reports');
const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
const count = { passed: 0, failed: 0, skipped: 0 };

for (const file of files) {
  for (const { status, assertionResults } of JSON.parse(readFileSync(join(folder, file), 'utf8'))
    .testResults) {
    const failed = assertionResults.filter((test) => test.status === 'failed').length;
    const passed = assertionResults.filter((test) => test.status === 'passed').length;
    count.passed += passed;
    count.skipped += assertionResults.length - passed - failed;
    // A file that could not even be loaded has failed, though it has no test to show for it.
    count.failed += status === 'failed' ? Math.max(failed, 1) : failed;
  }
}

console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
