import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const VERSION = 'v1.9.3';

/** What a run of grpcurl printed. */
export interface GrpcurlEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Builds grpcurl once per version with the machine's Go, and returns its path; undefined where there is no Go. */
export async function buildGrpcurl(): Promise<string | undefined> {
  const folder = resolve('dist', 'tools', `grpcurl-${VERSION}`);
  const program = join(folder, 'grpcurl');
  if (existsSync(program)) return program;
  try {
    await run('go', ['install', `github.com/fullstorydev/grpcurl/cmd/grpcurl@${VERSION}`], {
      env: { ...process.env, GOBIN: folder, GOFLAGS: '-mod=mod' },
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return program;
}

/** Runs grpcurl; a refusal of the server is no rejection. */
export async function grpcurl(program: string, args: readonly string[]): Promise<GrpcurlEnd> {
  try {
    return { code: 0, ...(await run(program, [...args])) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}
