// A program for the tests of guarded processes: does what it gets.

const held: Buffer[] = [];

process.on('message', ({ what, text }: { what: string; text: string }) => {
  if (what === 'exit') process.exit(3);
  if (what === 'stop') process.kill(process.pid, 'SIGTERM');
  if (what === 'hang') for (;;);
  if (what === 'fill') for (;;) held.push(Buffer.alloc(16 * 1024 * 1024, 1));
  process.send?.(what === 'environment' ? Object.keys(process.env).join() : `${process.pid} ${text}`);
});
