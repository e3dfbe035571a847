/** What ended a call from outside: somebody asked, its readers stayed away, its time was over, or the end is near. */
export type CancelCause = 'REQUESTED' | 'LEASE_OVER' | 'TIME_OVER' | 'SHUTDOWN';

/** Abort reason of a call's signal. */
export class CallCancelled extends Error {
  readonly source: CancelCause;

  constructor(source: CancelCause, message: string) {
    super(message);
    this.name = 'CallCancelled';
    this.source = source;
  }
}
