/** The version of every event written by this release; readers refuse unknown versions. */
export const EVENT_VERSION = 1;
