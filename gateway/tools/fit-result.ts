import { create } from '@bufbuild/protobuf';
import {
  type ContentBlock,
  ContentBlockSchema,
  type ToolResult,
  TruncationSchema,
} from '#gen/toolgate/tool/v1/tool_result_pb.ts';

/**
 * The result with at most `limitBytes` of text: the middle is cut out, since errors stand at the end and what was
 * asked for stands at the start. A cut is marked in the text and in `truncation`.
 */
export function fitResult(result: ToolResult, limitBytes: number): ToolResult {
  const { content, total, omitted } = fitContent(result.content, limitBytes);
  if (omitted === 0) return result;
  const before = result.truncation;
  const truncation = create(TruncationSchema, {
    totalBytes: before?.totalBytes ?? BigInt(total),
    omittedBytes: (before?.omittedBytes ?? 0n) + BigInt(omitted),
  });
  return { ...result, content, truncation };
}

function fitContent(
  blocks: readonly ContentBlock[],
  limitBytes: number,
): { readonly content: ContentBlock[]; readonly total: number; readonly omitted: number } {
  const content: ContentBlock[] = [];
  let [room, total, omitted] = [limitBytes, 0, 0];
  for (const block of blocks) {
    const text = block.block.case === 'text' ? block.block.value.text : '';
    const size = Buffer.byteLength(text);
    total += size;
    if (size <= room) {
      content.push(block);
      room -= size;
    } else if (omitted === 0) {
      const cut = cutMiddle(text, room);
      content.push(textBlock(cut.text));
      omitted = cut.omittedBytes;
      room = 0;
    } else {
      // Blocks behind the first cut are only counted: their marks would outgrow the limit.
      omitted += size;
    }
  }
  return { content, total, omitted };
}

function cutMiddle(
  text: string,
  limitBytes: number,
): { readonly text: string; readonly omittedBytes: number } {
  const bytes = Buffer.from(text);
  const half = Math.floor(limitBytes / 2);
  const head = wholeCharacters(bytes.subarray(0, half), 'end');
  const tail = wholeCharacters(bytes.subarray(bytes.length - half), 'start');
  const omittedBytes = bytes.length - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return { text: `${head}\n[… ${omittedBytes} bytes omitted …]\n${tail}`, omittedBytes };
}

/** The bytes as text, without the broken character that cutting left at one side. */
function wholeCharacters(bytes: Buffer, cutSide: 'start' | 'end'): string {
  const text = bytes.toString('utf8');
  return cutSide === 'end' ? text.replace(/\uFFFD+$/, '') : text.replace(/^\uFFFD+/, '');
}

function textBlock(text: string): ContentBlock {
  return create(ContentBlockSchema, { block: { case: 'text', value: { text } } });
}
