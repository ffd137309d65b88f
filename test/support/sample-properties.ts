import fc from 'fast-check';
import { sized } from './thorough.ts';

// A property that does not say how often it is tried.
fc.configureGlobal({ numRuns: sized(28, 100) });
