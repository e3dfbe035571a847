import { readableSpan } from '../render/time-text.ts';

/** Clocks this close do no harm; a time of an HTTP header has a resolution of a second. */
const TOLERATED_MS = 5_000;

/** What is wrong when another clock is this much ahead of the own one, or behind it when negative. */
export function clockProblem(whose: string, aheadMs: number): string | undefined {
  if (Math.abs(aheadMs) <= TOLERATED_MS) return undefined;
  const direction = aheadMs > 0 ? 'ahead of' : 'behind';
  return `the clock of ${whose} is ${readableSpan(Math.abs(aheadMs))} ${direction} this one: set both by NTP ("timedatectl set-ntp true"); a virtual machine of Docker needs a restart after sleep.`;
}
