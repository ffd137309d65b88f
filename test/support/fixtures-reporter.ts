import type { Reporter, TestModule } from 'vitest/node';
import {
  missingChromium,
  missingEngine,
  missingFixtures,
  missingMicrovm,
  missingPostgres,
} from './fixtures-missing.ts';

const remedies = {
  [missingFixtures]: 'Set TROUPE_FIXTURES to the folder that has them:',
  [missingPostgres]: 'Install its server (Debian: postgresql):',
  [missingEngine]: 'Install one (Debian: podman runc catatonit), or start the daemon of Docker:',
  [missingMicrovm]:
    'Install what it needs (Debian: qemu-system-x86 busybox-static cpio), and unpack a kernel (`docs/guide/microvm.md`):',
  [missingChromium]: 'Install it (Debian: chromium-headless-shell):',
};

/** Says at the end how much was not tested because something that it needs is not on this machine. */
export default class FixturesReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]);
    for (const [reason, remedy] of Object.entries(remedies)) {
      const missed = skipped.filter((test) => test.name.startsWith(reason));
      if (missed.length === 0) continue;
      const groups = missed.length === 1 ? '1 group of tests' : `${missed.length} groups of tests`;
      console.log(`\n${groups} ${reason}. ${remedy}`);
      for (const test of missed) console.log(`  ${test.fullName.replace(`${reason}: `, '')}`);
    }
  }
}
