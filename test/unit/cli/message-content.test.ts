import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageContent } from '../../../cli/client/message-content.ts';

describe('a message with files', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolgate-message-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('sends text as text with its name', async () => {
    await writeFile(join(folder, 'grüße.csv'), 'a,b\n');
    expect(messageContent('look', ['grüße.csv'], folder)).toEqual([
      { block: { case: 'text', value: { text: 'look' } } },
      { block: { case: 'text', value: { text: 'File grüße.csv:\na,b\n' } } },
    ]);
  });

  it('sends anything else as bytes with its media type', async () => {
    const bytes = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0]);
    await writeFile(join(folder, 'chart.PNG'), bytes);
    await writeFile(join(folder, 'data.bin'), new Uint8Array([0xff, 0xfe]));
    expect(messageContent('look', ['chart.PNG', 'data.bin'], folder).slice(1)).toEqual([
      { block: { case: 'data', value: { mediaType: 'image/png', name: 'chart.PNG', data: bytes } } },
      {
        block: {
          case: 'data',
          value: {
            mediaType: 'application/octet-stream',
            name: 'data.bin',
            data: new Uint8Array([0xff, 0xfe]),
          },
        },
      },
    ]);
  });

  it('never begins to read what may have no end', () => {
    expect(() => messageContent('look', ['/dev/zero'], folder)).toThrow(
      'Cannot send the file /dev/zero: it is no regular file',
    );
  });

  it('refuses a file that no gateway takes', async () => {
    const path = join(folder, 'large.bin');
    await writeFile(path, '');
    await truncate(path, 64 * 1024 ** 2 + 1);
    expect(() => messageContent('look', [path], folder)).toThrow('it is larger than 64 MiB');
  });

  it('names a file that cannot be read', () => {
    expect(() => messageContent('look', ['nothing.txt'], folder)).toThrow(
      `Cannot send the file ${join(folder, 'nothing.txt')}`,
    );
  });
});
