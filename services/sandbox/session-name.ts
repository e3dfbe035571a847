import { createHash } from 'node:crypto';

/** A name for a session's things that every system accepts: session ids are free text, this is 20 hex digits. */
export function sessionName(sessionId: string): string {
  return createHash('sha256').update(sessionId).digest('hex').slice(0, 20);
}
