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
  let room = limitBytes;
  let omitted = 0;
  const content = result.content.map(block => {
    if (block.block.case !== 'text') return block;
    const { text } = block.block.value;
    const size = Buffer.byteLength(text);
    const fitted = size <= room ? text : cutMiddle(text, Math.max(room, 0));
    room -= Math.min(size, Math.max(room, 0));
    omitted += Math.max(size - Buffer.byteLength(fitted), 0);
    return fitted === text ? block : textBlock(fitted);
  });
  if (omitted === 0) return result;
  const before = result.truncation;
  const truncation = create(TruncationSchema, {
    totalBytes: before?.totalBytes ?? BigInt(limitBytes + omitted),
    omittedBytes: (before?.omittedBytes ?? 0n) + BigInt(omitted),
  });
  return { ...result, content, truncation };
}

function cutMiddle(text: string, limitBytes: number): string {
  const bytes = Buffer.from(text);
  const half = Math.floor(limitBytes / 2);
  const head = wholeCharacters(bytes.subarray(0, half), 'end');
  const tail = wholeCharacters(bytes.subarray(bytes.length - half), 'start');
  const omitted = bytes.length - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return `${head}\n[… ${omitted} bytes omitted …]\n${tail}`;
}

/** The bytes as text, without the broken character that cutting left at one side. */
function wholeCharacters(bytes: Buffer, cutSide: 'start' | 'end'): string {
  const text = bytes.toString('utf8');
  return cutSide === 'end' ? text.replace(/\uFFFD+$/, '') : text.replace(/^\uFFFD+/, '');
}

function textBlock(text: string): ContentBlock {
  return create(ContentBlockSchema, { block: { case: 'text', value: { text } } });
}
