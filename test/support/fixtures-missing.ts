/**
 * How the name of a test begins that stands in for a group whose fixtures are missing. Apart from `fixtures.ts`
 * as the reporter reads it too, and a reporter cannot import the test API.
 */
export const missingFixtures = 'skipped for lack of fixtures';

/** How the name of a test begins that stands in for a group that needs PostgreSQL. */
export const missingPostgres = 'skipped for lack of PostgreSQL';

/** How the name of a test begins that stands in for a group that needs an engine of containers. */
export const missingEngine = 'skipped for lack of a container engine';

/** How the name of a test begins that stands in for a group that needs a virtual machine. */
export const missingMicrovm = 'skipped for lack of a virtual machine';

/** How the name of a test begins that stands in for a group that needs a browser. */
export const missingChromium = 'skipped for lack of Chromium';
