// Each scenario at a tiny size: whether it runs to its end, not what it measures.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { withoutBrowser } from '../../test/browser/browser.ts';
import { bench } from '../bench-for-tests.ts';

describe('at a tiny size', { concurrency: 3 }, () => {
  it('small prints a line for every reply, size and folder, and compares them', async () => {
    const flags = '--seconds 0.5 --warmup 0.1 --settle 0 --rounds 1 --connections 4 --prefill 10,150 --kib 1,4';
    const printed = await bench('small', ...flags.split(' '));
    assert.equal(printed.match(/^\| (empty|save)/gm)?.length, 7);
    assert.equal(printed.match(/ (holds|missed) \|$/gm)?.length, 3);
  });

  it('listing prints a line for every order, place and limit, and for every change', async () => {
    const printed = await bench('listing', '--size', '1000', '--rounds', '1');
    assert.equal(printed.match(/^\| page by /gm)?.length, 2 * 36);
    assert.equal(printed.match(/^\| (save|rename|look-up|folder)/gm)?.length, 5);
    assert.equal(printed.match(/^Highest ratio: time [\d.]+, CPU /gm)?.length, 2);
  });

  it('trees prints every phase of both trees', async () => {
    const printed = await bench('trees', '--size', '300');
    assert.equal(printed.match(/^\| (usual|copy|rename|move|trash|restore|purge)/gm)?.length, 18);
  });

  it('search prints a line for every query, and the rates of saving and indexing', async () => {
    const printed = await bench('search', '--size', '1000');
    assert.equal(printed.match(/^\| (a|three|nothing|page|GET) /gm)?.length, 12);
    assert.match(printed, /^\| indexed, documents\/s/m);
  });

  it('put sends every file and compares its rate with the load generator', async () => {
    const printed = await bench('put', '--size', '300', '--rounds', '1', '--seconds', '0.5', '--connections', '8');
    assert.match(printed, /ratio \d+\.\d\d \(≥ 0\.7: (holds|missed)\)/);
  });

  it('webdav prints a line for every request, and both verdicts', async () => {
    const printed = await bench('webdav', '--size', '50', '--rounds', '1', '--wait', '5');
    assert.equal(printed.match(/^\| (REST save|PUT|PROPFIND)/gm)?.length, 4);
    assert.equal(printed.match(/: (holds|missed)\)/g)?.length, 2);
  });

  it('cost prints every figure of both engines, none of them zero', async () => {
    const printed = await bench('cost', '--size', '300', '--wait', '20');
    const rows = printed.match(/^\| .*(save|read|kept|thread|here).* \|$/gm) ?? [];
    assert.equal(rows.length, 8);
    for (const row of rows) {
      if (!row.includes('database')) assert.match(row, /\| +[1-9]\d* \| +[1-9]\d* \|$/);
      else assert.match(row, /\| +0 \| +\d+ \|$/);
    }
  });

  it('scale prints the limits of both engines, and what five sizes need', async () => {
    const printed = await bench('scale');
    assert.equal(printed.match(/^\| (one|processor|writing|the|log|rows) .*[\d,]+× \| /gm)?.length, 9);
    assert.equal(printed.match(/^\| [\d,]+× .* (yes|no) \|$/gm)?.length, 10);
  });

  it('steady measures the disk, the highest load and half of it', async () => {
    const printed = await bench('steady', ...'--seconds 0.5 --warmup 0.1 --settle 0 --rounds 1'.split(' '));
    assert.match(printed, /^\| one sync of 4 KiB +\| +\| +1000 \|/m);
    assert.match(printed, /^\| saves, [1-9]\d* a second +\| +[1-9]\d* \| +[1-9]/m);
    assert.match(printed, /p99 of a sync: \d+\.\d\d \(≤ 3: (holds|missed)\)$/m);
  });

  it('large saves and downloads every shape on both servers', async () => {
    const printed = await bench('large', '--size', '2', '--rounds', '1');
    const servers = /^\| nginx, /m.test(printed) ? 2 : 1;
    assert.equal(printed.match(/^\| (Cabinet|nginx), (save|download) /gm)?.length, servers * 8);
    assert.equal(printed.match(/ (holds|missed|n\/a) \|$/gm)?.length, 3);
  });

  it('peers prints what each server promises, and a bar without its peer does not hold', async () => {
    const flags = '--beside empty,tus --seconds 2 --settle 0 --rounds 1';
    const folder = mkdtempSync(join(tmpdir(), 'cabinet-bench-'));
    const stdout = await bench('peers', ...flags.split(' '), '--out', join(folder, 'peers.md'));
    assert.match(stdout, /^\| Cabinet +\| +yes \| +by token and key \| +yes \| +[1-9]/m);
    assert.match(stdout, /^\| empty `node:http` server +\| +stores nothing \|/m);
    assert.match(stdout, /^\| @tus\/server, file store +\| +no \|/m);
    assert.equal(stdout.match(/ (holds|missed) \|$/gm)?.length, 3);
    assert.equal(stdout.match(/ not measured \|$/gm)?.length, 2);
    assert.match(readFileSync(join(folder, 'peers.svg'), 'utf8'), /on disk, authenticated, versions/);
    rmSync(folder, { recursive: true });
  });

  it('reads measures every line on Cabinet, and contents and ranges beside', async () => {
    const flags = '--beside bare --size 16 --seconds 0.5 --warmup 0.1 --settle 0 --rounds 1';
    const printed = await bench('reads', ...flags.split(' '));
    assert.equal(printed.match(/^\| .* \| +Cabinet \| +[1-9]/gm)?.length, 11);
    assert.equal(printed.match(/^\| .* \| bare Node \| +[1-9]/gm)?.length, 7);
    assert.equal(printed.match(/ CPU ÷ bare Node .* (holds|missed) \|$/gm)?.length, 3);
  });

  it('middle measures every size, of new bytes and of the same, on both servers', async () => {
    const printed = await bench(
      'middle',
      ...'--beside bare --seconds 0.5 --warmup 0.1 --settle 0 --rounds 1'.split(' '),
    );
    assert.equal(printed.match(/^\| \d+ [KM]iB.* \| ( {2}Cabinet|bare Node) \| +\d/gm)?.length, 24);
  });

  it('console prints bytes, the first list, interactions and the deletion', { skip: withoutBrowser }, async () => {
    const printed = await bench('console', '--size', '300', '--rounds', '1');
    assert.equal(printed.match(/ (holds|missed) \|$/gm)?.length, 18);
  });

  it('mixed reads, lists and saves', async () => {
    const printed = await bench(
      'mixed',
      '--size',
      '2000',
      '--seconds',
      '1',
      '--rounds',
      '1',
      '--wait',
      '5',
      '--settle',
      '0',
    );
    assert.equal(printed.match(/^\| (read|list|save) +\| +[1-9]/gm)?.length, 3);
  });

  it('grow measures the same at every size, and draws it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cabinet-bench-'));
    try {
      const printed = await bench('grow', '--size', '2000', '--wait', '5', '--out', join(folder, 'grow.md'));
      assert.equal(printed.match(/^\| 2,000 /gm)?.length, 1);
      assert.match(readFileSync(join(folder, 'grow.md'), 'utf8'), /^## grow\n\n\d{4}-/);
      assert.match(readFileSync(join(folder, 'grow.svg'), 'utf8'), /^<svg [\s\S]*<path d="M/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
